// Keeps the program, its docs and its code in plain English: none of the listed phrases may come back.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { root } from '../helpers/root.ts';
import { readSources } from './sources.ts';
import { PHRASES } from './wording.ts';

interface Line {
  line: number;
  text: string;
}

/** Lines that a reader reads as one text, because a phrase may continue on the next line. */
type Piece = Line[];

const linesFrom = (line: number, text: string): Line[] =>
  text.split('\n').map((part, index) => ({ line: line + index, text: part.trim() }));

/** Returns comments, and strings that have more than one word. */
function piecesOfCode(text: string, ast: ts.SourceFile): Piece[] {
  const pieces: Piece[] = [];
  const lineAt = (position: number): number => ast.getLineAndCharacterOfPosition(position).line + 1;
  const comments = new Map<number, ts.CommentRange>();
  const linesOf = (node: ts.Node): Line[] => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText) return linesFrom(lineAt(node.getStart(ast)), node.text);
    return isSum(node) ? [...linesOf(node.left), ...linesOf(node.right)] : [];
  };
  const visit = (node: ts.Node): void => {
    const found = isSum(node.parent) ? [] : linesOf(node);
    if (found.some((line) => line.text.includes(' '))) pieces.push(found);
    const children = node.getChildren(ast).filter((child) => !ts.isJSDoc(child));
    children.forEach(visit);
    if (children.length > 0) return;
    const before = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
    const after = ts.getTrailingCommentRanges(text, node.getEnd()) ?? [];
    for (const range of [...before, ...after]) comments.set(range.pos, range);
  };
  visit(ast);
  return [...pieces, ...joinComments([...comments.values()])];

  function joinComments(ranges: ts.CommentRange[]): Piece[] {
    const joined: (Piece & { kind?: ts.SyntaxKind })[] = [];
    for (const { end, kind, pos } of ranges.sort((one, other) => one.pos - other.pos)) {
      const lines = linesFrom(lineAt(pos), text.slice(pos, end)).map((it) => ({
        ...it,
        text: it.text.replace(/^(?:\/\/|\/?\*+\/?)\s*|\s*\*\/$/g, ''),
      }));
      const last = joined.at(-1);
      const follows = last?.kind === kind && last.at(-1)?.line === lineAt(pos) - 1;
      if (last && follows && kind === ts.SyntaxKind.SingleLineCommentTrivia) last.push(...lines);
      else joined.push(Object.assign(lines, { kind }));
    }
    return joined;
  }
}

/** True for strings joined by `+`. */
function isSum(node: ts.Node | undefined): node is ts.BinaryExpression {
  return node !== undefined && ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
}

/** Returns the paragraphs, list items and table rows of a page, without its code. */
function piecesOfPage(text: string): Piece[] {
  const prose = text.replace(/^ *```[^]*?^ *```/gm, (block) => block.replace(/[^\n]/g, ''));
  const pieces: Piece[] = [];
  let isOpen = false;
  for (const line of linesFrom(1, prose)) {
    const content = line.text.replace(/^>\s*/, '');
    const last = pieces.at(-1);
    if (isOpen && last && content !== '' && !/^(?:[-*+|#]|\d+\.) ?/.test(content))
      last.push({ ...line, text: content });
    else pieces.push([{ ...line, text: content }]);
    isOpen = content !== '' && !/^[|#]/.test(content);
  }
  return pieces;
}

/** Returns the blocks of comments in a YAML file. */
function piecesOfYaml(text: string): Piece[] {
  const comments = linesFrom(1, text).map((it) => ({ ...it, text: /(?:^|\s)#\s?(.*)/.exec(it.text)?.[1] ?? '' }));
  return comments.reduce<Piece[]>((pieces, it) => {
    const last = pieces.at(-1);
    if (it.text === '' || !last) return [...pieces, [it]];
    last.push(it);
    return pieces;
  }, []);
}

function faultsOf(path: string, pieces: Piece[], phrases = PHRASES): string[] {
  return pieces.flatMap((lines) => {
    // Code keeps its length, so that positions remain correct.
    const text = lines
      .map((it) => it.text)
      .join(' ')
      .replace(/`[^`]*`/g, (code) => (path.endsWith('.md') ? '`'.repeat(code.length) : code));
    return phrases.flatMap(([phrase, better]) => {
      const match = phrase.exec(text);
      if (!match) return [];
      let end = 0;
      const { line } = lines.find((it) => (end += it.text.length + 1) > match.index) ?? { line: 0 };
      return [`${path}:${line}: "${match[0]}": write: ${better}`];
    });
  });
}

it('finds a phrase in comments, messages and pages, even across lines, and reports its first line', () => {
  const phrases: typeof PHRASES = [
    [/\bapples\b/i, 'fruit'],
    [/\bred pears?\b/i, 'green pears'],
  ];
  const code = `// Apples are ripe.
const a = fail(\`apples are ripe \${x} and red pears\`);
const b = 'apples';
// This tree has red
// pears.
const c = 'a red' + ' pear';
/**
 * Three red
 * pears.
 */
const d = [
  1, // red pears
  // Red
];
// pears
`;
  const ast = ts.createSourceFile('x.ts', code, ts.ScriptTarget.Latest, true);
  const page =
    '# A\n\n```\napples\n```\nGreen apples, `red pears` and red\npears.\n\n- red\n- pears\n\n> A `x\ny` red\n> pear.\n';
  const yaml = 'a: 1 # Red\n# pears.\n\n# red\nb: pears\n';
  expect([
    ...faultsOf('x.ts', piecesOfCode(code, ast), phrases).sort(),
    ...faultsOf('x.md', piecesOfPage(page), phrases),
    ...faultsOf('x.yml', piecesOfYaml(yaml), phrases),
  ]).toEqual([
    'x.ts:12: "red pears": write: green pears',
    'x.ts:1: "Apples": write: fruit',
    'x.ts:2: "apples": write: fruit',
    'x.ts:2: "red pears": write: green pears',
    'x.ts:4: "red pears": write: green pears',
    'x.ts:6: "red pear": write: green pears',
    'x.ts:8: "red pears": write: green pears',
    'x.md:6: "apples": write: fruit',
    'x.md:6: "red pears": write: green pears',
    'x.md:13: "red pear": write: green pears',
    'x.yml:1: "Red pears": write: green pears',
  ]);
});

it.each(['src', 'bin', 'scripts', 'bench', 'test'])('finds no banned phrase in the code under %s', (folder) => {
  const sources = readSources(folder).filter(({ path }) => !path.startsWith('test/house/wording'));
  expect(sources.length).toBeGreaterThan(0);
  expect(sources.flatMap(({ ast, path, text }) => faultsOf(path, piecesOfCode(text, ast)))).toEqual([]);
});

it('finds no banned phrase in the pages and the recipes', () => {
  const pages = ['.', 'bench', 'docs', 'docs/commands', 'docs/recipes'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => /\.(?:md|yml)$/.test(name))
      .map((name) => join(folder, name)),
  );
  expect(pages.length).toBeGreaterThan(20);
  const piecesOf = (path: string): Piece[] =>
    (path.endsWith('.md') ? piecesOfPage : piecesOfYaml)(readFileSync(join(root, path), 'utf8'));
  expect(pages.flatMap((path) => faultsOf(path, piecesOf(path)))).toEqual([]);
});
