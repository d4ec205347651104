// Hints suggest a fix, but never a destructive command, and their commands can be pasted into a shell.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const DESTRUCTIVE =
  /profile delete|--overwrite|delete it first|\bremove (?:it|them)\b|roles delete|pipelines reset |emulator reset|--force|\brm -/i;

/** Functions that create errors; their strings are messages and hints. */
const MAKERS = /^(?:usageError|invalidInput|cannotWrite|nameTaken|nameOnce|noEmulator|failure)$/;

/** True for code whose strings users read as advice. */
function isAdvice(node: ts.Node): boolean {
  if (ts.isPropertyAssignment(node) || ts.isParameter(node) || ts.isVariableDeclaration(node)) {
    return /^(?:hint|fix)$|Hint$/.test(node.name.getText());
  }
  if (ts.isFunctionDeclaration(node)) return /hint|^fix/i.test(node.name?.text ?? '');
  return ts.isCallExpression(node) && MAKERS.test(node.expression.getText());
}

/** Returns the unquoted paths in the commands of the source, such as `file` in `cdpadm roles diff ${file}`. */
function bareWordsIn(source: ts.Node): string[] {
  const isCommand = ts.isTemplateExpression(source) && /^`cdpadm \w/.test(source.head.getText());
  const words = isCommand ? source.templateSpans.map(({ expression }) => expression.getText()) : [];
  const found = words.filter((word) => /^(?:file|path|dir|folder|\w+\.(?:file|path|dir|folder|name))$/.test(word));
  ts.forEachChild(source, (child) => void found.push(...bareWordsIn(child)));
  return found;
}

/** Returns every text that gives advice in the source. */
function adviceIn(source: ts.Node, inside = false): string[] {
  const isInside = inside || isAdvice(source);
  const own = isInside && (ts.isStringLiteralLike(source) || ts.isTemplateExpression(source)) ? [source.getText()] : [];
  const below: string[] = [];
  ts.forEachChild(source, (child) => void below.push(...adviceIn(child, isInside)));
  return [...own, ...below];
}

const parse = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

function sources(): [file: string, text: string][] {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return files.map((file) => [file, readFileSync(join('src', file), 'utf8')]);
}

it('finds the hints in every function that creates an error', () => {
  const text = "usageError('a', 'b'); x({ hint: c ? 'd' : `e` }); function g(hint = 'h') {} y('i');";
  expect(adviceIn(parse('x.ts', text))).toEqual(["'a'", "'b'", "'d'", '`e`', "'h'"]);
});

it('quotes paths in the commands of hints for the shell', () => {
  const text = String.raw`x(\`cdpadm roles diff \${file}\`, \`cdpadm roles diff \${shellWord(file)}\`);`;
  expect(bareWordsIn(parse('x.ts', text.replaceAll('\\', '')))).toEqual(['file']);
  const found = sources().flatMap(([file, text]) => bareWordsIn(parse(file, text)).map((word) => `${file}: ${word}`));
  expect(found).toEqual([]);
});

it('does not suggest a destructive command in a hint', () => {
  const found = sources().flatMap(([file, text]) => adviceIn(parse(file, text)));
  expect(found.length).toBeGreaterThan(300);
  expect(found.filter((text) => DESTRUCTIVE.test(text))).toEqual([]);
});
