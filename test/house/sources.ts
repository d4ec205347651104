// The project's parsed source files, for tests that check code.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { root } from '../helpers/root.ts';

export interface Import {
  specifier: string;
  /** The imported file, relative to the project root; undefined for packages and Node's own modules. */
  target: string | undefined;
  /** True if the compiler erases the import. */
  typeOnly: boolean;
  /** True for `import()`, which loads on demand. */
  late: boolean;
}

export interface SourceFile {
  /** Relative to the project root, with forward slashes. */
  path: string;
  text: string;
  ast: ts.SourceFile;
  readonly imports: Import[];
}

const read = new Map<string, SourceFile[]>();

/** Returns all source files under `folder`, and caches them. */
export function readSources(folder: string): SourceFile[] {
  const known = read.get(folder) ?? parseSources(folder);
  read.set(folder, known);
  return known;
}

function parseSources(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => /\.(ts|js|mjs)$/.test(path))
    .sort()
    .map(readSource);
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const ast = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  let imports: Import[] | undefined;
  return {
    path,
    text,
    ast,
    get imports() {
      return (imports ??= findImports(path, ast));
    },
  };
}

const walked = new WeakMap<ts.Node, ts.Node[]>();

/**
 * Returns every node in the tree except tokens, root first. The result is cached, because many checks walk the same
 * trees.
 */
export function walk(root: ts.Node): readonly ts.Node[] {
  const known = walked.get(root);
  if (known) return known;
  const nodes = [root];
  const add = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, add);
  };
  ts.forEachChild(root, add);
  walked.set(root, nodes);
  return nodes;
}

function findImports(path: string, ast: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const add = (name: ts.Node | undefined, typeOnly: boolean, late = false): void => {
    if (!name || !ts.isStringLiteralLike(name)) return;
    const specifier = name.text;
    const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined;
    found.push({ specifier, target, typeOnly, late });
  };
  for (const node of walk(ast)) {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false, true);
    }
  }
  return found;
}

/** Counts the uses of a global, excluding properties, keys and our own declarations. */
export function usesOfGlobal(file: SourceFile, name: string): number {
  let uses = 0;
  for (const node of walk(file.ast)) {
    if (!ts.isIdentifier(node) || node.text !== name) continue;
    const { parent } = node;
    const isMember =
      (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
      (ts.isQualifiedName(parent) && parent.right === node) ||
      (ts.isPropertyAssignment(parent) && parent.name === node) ||
      ts.isPropertySignature(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isMethodSignature(parent);
    if (!isMember) uses += 1;
  }
  return uses;
}
