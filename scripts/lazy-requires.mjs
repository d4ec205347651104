// A rolldown plugin that lets a chunk load other chunks, and Node's modules, when it first uses them.
// So the help of a command costs nothing of what the command needs to run: no schema is built, no cryptography loaded.
// It holds because our modules only define things when they are loaded, in whatever order that happens.

/** @returns {import('rolldown').Plugin} */
export function lazyRequires() {
  return {
    name: 'lazy-requires',
    transform: { filter: { id: /commander[\\/]lib[\\/]command\.js$/ }, handler: spareChildProcess },
    renderChunk: makeLazy,
  };
}

/**
 * Turns `const a = require("./a.js")` into a function that requires when it is first called, and `a.b` into `a().b`.
 * What is used otherwise than by its members stays as it is.
 * @param {string} code a chunk in CommonJS, not minified yet
 */
export function makeLazy(code) {
  let text = code;
  for (const [, name = ''] of code.matchAll(/^(?:const|let) ([\w$]+) = require\("[^"]+"\);$/gm)) {
    const id = name.replaceAll('$', '\\$');
    // The line that may follow gives a module of Node the shape of an ES module: `a = __toESM(a, 1);`.
    const statement = new RegExp(`^(?:const|let) ${id} = (require\\("[^"]+"\\));\\n(?:${id} = (.+);\\n)?`, 'm');
    const use = new RegExp(`(?<![.\\w$])${id}(?![\\w$])(\\.)?`, 'g');
    const [whole = '', load = '', shaped = load] = statement.exec(text) ?? [];
    const rest = text.replace(whole, '\0');
    if ([...rest.matchAll(use)].some(([, member]) => member === undefined)) continue;
    const value = shaped.replace(use, load);
    const lazy = `let $${name};\nfunction ${name}() { return $${name} ??= ${value}; }\n`;
    text = rest.replace(use, `${name}().`).replace('\0', () => lazy);
  }
  return text;
}

/**
 * Commander loads `node:child_process`, a tenth of the whole start, for commands that are programs of their own.
 * @param {string} code
 */
function spareChildProcess(code) {
  const eager = /^const childProcess = (require\('(?:node:)?child_process'\))(\.?.*);$/m;
  const load = eager.exec(code)?.[1];
  if (load === undefined) throw new Error('Commander has changed how it loads child_process: see lazy-requires.mjs.');
  return code.replace(eager, '').replaceAll('childProcess.', `${load}.`);
}
