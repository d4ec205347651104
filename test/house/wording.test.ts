// Keeps the program, its docs and its code in plain English: none of the listed phrases may come back.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { root } from '../helpers/root.ts';
import { readSources } from './sources.ts';
import { PHRASES } from './wording.ts';

/** A piece of text and the number of its first line. */
interface Piece {
  line: number;
  text: string;
}

/** Returns comments, and strings that have more than one word. */
function piecesOfCode(text: string, ast: ts.SourceFile): Piece[] {
  const pieces: Piece[] = [];
  const add = (start: number, found: string): void => {
    pieces.push({ line: ast.getLineAndCharacterOfPosition(start).line + 1, text: found.replace(/\s*\n[\s*/]*/g, ' ') });
  };
  const comments = new Set<number>();
  const visit = (node: ts.Node): void => {
    for (const { end, pos } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      if (!comments.has(pos)) add(pos, text.slice(pos, end));
      comments.add(pos);
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      if (node.text.includes(' ')) add(node.getStart(ast), node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ast);
  return pieces;
}

/** Returns a page's prose, without its code. */
function piecesOfPage(text: string): Piece[] {
  const prose = text.replace(/^ *```[^]*?^ *```/gm, (block) => block.replace(/[^\n]/g, ''));
  return prose.split('\n').map((line, index) => ({ line: index + 1, text: line.replace(/`[^`]*`/g, '``') }));
}

function faultsOf(path: string, pieces: Piece[]): string[] {
  return pieces.flatMap(({ line, text }) =>
    PHRASES.flatMap(([phrase, better]) => {
      const found = phrase.exec(text)?.[0];
      return found === undefined ? [] : [`${path}:${line}: "${found}": write: ${better}`];
    }),
  );
}

it('finds a phrase in a comment, in a message and in a page, and reports its line', () => {
  // The samples in this test contain listed phrases on purpose.
  const code = '// Nobody reads it.\nconst a = fail(`it was refused $' + "{x} and so long as`);\nconst b = 'refused';";
  const ast = ts.createSourceFile('x.ts', code, ts.ScriptTarget.Latest, true);
  const page = '# A\n\n```\nnobody\n```\nIt is mended by `mend`.\n';
  expect([...faultsOf('x.ts', piecesOfCode(code, ast)), ...faultsOf('x.md', piecesOfPage(page))]).toEqual([
    expect.stringMatching(/^x\.ts:1: "Nobody"/),
    expect.stringMatching(/^x\.ts:2: "refused"/),
    expect.stringMatching(/^x\.ts:2: "so long"/),
    expect.stringMatching(/^x\.md:6: "mended": write: fix$/),
  ]);
});

it.each(['src', 'bin', 'scripts', 'bench', 'test'])('finds no banned phrase in the code under %s', (folder) => {
  const sources = readSources(folder).filter(({ path }) => !path.startsWith('test/house/wording'));
  expect(sources.length).toBeGreaterThan(0);
  expect(sources.flatMap(({ ast, path, text }) => faultsOf(path, piecesOfCode(text, ast)))).toEqual([]);
});

it('finds no banned phrase in the pages', () => {
  const pages = ['.', 'docs', 'docs/commands', 'docs/recipes'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.flatMap((path) => faultsOf(path, piecesOfPage(readFileSync(join(root, path), 'utf8'))))).toEqual([]);
});
