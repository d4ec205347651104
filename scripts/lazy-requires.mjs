// A rolldown plugin that makes a chunk load other chunks and Node's modules on first use. As a result, a command's help
// does not load the code that the command needs to run, such as schemas and cryptography. This works because our
// modules can be loaded in any order: loading one has no side effects.
import { parseAst } from 'rolldown/parseAst';
import { Visitor } from 'rolldown/utils';

/** @typedef {import('rolldown/utils').ESTree.Program} Program */
/** @typedef {{start: number, end: number}} Place */
/** @typedef {Place & {text: string}} Edit */

/**
 * A required module: `const a = require("./a.js");` at the top of a chunk, optionally followed by
 * `a = __toESM(a, 1);`, which converts a Node module to the shape of an ES module.
 * @typedef {object} Required
 * @property {string} name
 * @property {Place} declaration
 * @property {string} load `require("./a.js")`
 * @property {{statement: Place, value: Place, itself: Place} | undefined} conversion
 * @property {Place[]} members positions of `a` in `a.b`
 * @property {boolean} whole true if `a` is also used in another way, so that it must be loaded immediately
 */

/** @returns {import('rolldown').Plugin} */
export function lazyRequires() {
  return {
    name: 'lazy-requires',
    // Skips chunks that contain only packages: they are loaded on demand and slow to parse.
    renderChunk: (code, chunk) => (chunk.moduleIds.every(isPackaged) ? undefined : makeLazy(code)),
  };
}

/**
 * Replaces `const a = require("./a.js")` with a function that calls `require` on its first call, and `a.b` with
 * `(a()).b`.
 * @param {string} code a CommonJS chunk before minification
 */
export function makeLazy(code) {
  const program = parseAst(code, { sourceType: 'commonjs' });
  const found = findRequired(program, code);
  findUses(program, found);
  const edits = [...found.values()].filter(({ whole }) => !whole).flatMap(lazyEdits);
  // Applies the edits from last to first, so that earlier positions remain valid.
  edits.sort((a, b) => b.start - a.start);
  return edits.reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), code);
}

/**
 * @param {Program} program
 * @param {string} code
 * @returns {Map<string, Required>} by name
 */
function findRequired(program, code) {
  /** @type {Map<string, Required>} */
  const found = new Map();
  for (const statement of program.body) {
    if (statement.type === 'VariableDeclaration') {
      const [{ id, init } = {}, second] = statement.declarations;
      if (second || id?.type !== 'Identifier' || init?.type !== 'CallExpression') continue;
      if (init.callee.type !== 'Identifier' || init.callee.name !== 'require') continue;
      const { name } = id;
      const load = code.slice(init.start, init.end);
      found.set(name, { name, declaration: statement, load, conversion: undefined, members: [], whole: false });
    } else if (statement.type === 'ExpressionStatement' && statement.expression.type === 'AssignmentExpression') {
      const { left, right: value } = statement.expression;
      const required = left.type === 'Identifier' ? found.get(left.name) : undefined;
      if (!required || value.type !== 'CallExpression') continue;
      const itself = value.arguments.find((node) => node.type === 'Identifier' && node.name === required.name);
      if (itself) required.conversion = { statement, value, itself };
    }
  }
  return found;
}

/**
 * @param {Program} program
 * @param {Map<string, Required>} found receives the uses
 */
function findUses(program, found) {
  /** Identifiers that refer to a property, not to a variable. @type {Set<Place>} */
  const properties = new Set();
  /** @type {Set<Place>} */
  const objects = new Set();
  new Visitor({
    MemberExpression: ({ object, property, computed }) => {
      objects.add(object);
      if (!computed) properties.add(property);
    },
    Property: ({ key, computed, shorthand }) => {
      if (!computed && !shorthand) properties.add(key);
    },
    MethodDefinition: ({ key, computed }) => {
      if (!computed) properties.add(key);
    },
    PropertyDefinition: ({ key, computed }) => {
      if (!computed) properties.add(key);
    },
    Identifier: (node) => {
      const required = properties.has(node) ? undefined : found.get(node.name);
      if (!required) return;
      if (objects.has(node)) required.members.push(node);
      else if (!isWithin(node, required.declaration) && !isWithin(node, required.conversion?.statement)) {
        required.whole = true;
      }
    },
  }).visit(program);
}

/**
 * @param {Place} place
 * @param {Place | undefined} outer
 */
function isWithin(place, outer) {
  return outer !== undefined && place.start >= outer.start && place.end <= outer.end;
}

/**
 * @param {Required} required
 * @returns {Edit[]}
 */
function lazyEdits({ name, declaration, load, conversion, members }) {
  const open = `var $${name};\nfunction ${name}() { return $${name} ??= `;
  const close = '; }';
  // Adds parentheses, because `new a().B()` would construct `a()`.
  const calls = members.map((place) => edit(place.start, place.end, `(${name}())`));
  if (!conversion) return [edit(declaration.start, declaration.end, open + load + close), ...calls];
  const { statement, value, itself } = conversion;
  return [
    edit(declaration.start, declaration.end, ''),
    edit(statement.start, value.start, open),
    edit(itself.start, itself.end, load),
    edit(value.end, statement.end, close),
    ...calls,
  ];
}

/** @type {(start: number, end: number, text: string) => Edit} */
function edit(start, end, text) {
  return { start, end, text };
}

/** @param {string} id a module's path, or the name of a module that rolldown itself adds */
function isPackaged(id) {
  return id.includes('node_modules') || id.startsWith('\0');
}
