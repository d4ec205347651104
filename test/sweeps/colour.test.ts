// Every command with colour forced: none but the terminal's own sixteen, and none that says what no word or sign says.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CASES } from './cases.ts';
import { createWorld, type World } from './world.ts';

/** Reset, bold, dim, italic, underline and their ends; the sixteen colours in front and behind, and their ends. */
const SIXTEEN = /^(0|1|2|3|4|22|23|24|3[0-79]|4[0-79]|9[0-7]|10[0-7])$/;
const FOREGROUND = /^(3[0-7]|9[0-7])$/;

interface Piece {
  colour: string;
  text: string;
}

/** The text between two changes of colour, with the colour that it has. */
function piecesOf(text: string): { pieces: Piece[]; codes: string[] } {
  const pieces: Piece[] = [];
  const codes: string[] = [];
  let colour = '';
  for (const [, parameters, plain = ''] of `\u001b[m${text}`.matchAll(/\u001b\[([\d;]*)m([^\u001b]*)/g)) {
    const given = (parameters ?? '').split(';').filter(Boolean);
    codes.push(...given);
    for (const code of given) {
      if (FOREGROUND.test(code)) colour = code;
      else if (code === '39' || code === '0') colour = '';
    }
    for (const line of plain.split('\n')) if (line.trim() !== '') pieces.push({ colour, text: line.trim() });
  }
  return { pieces, codes };
}

/** Signs that have not one colour only: what they stand for is to be seen in colour alone. */
function doubtful(pieces: readonly Piece[]): string[] {
  const signs = pieces.filter(({ text }) => !/[\p{L}\p{N}]/u.test(text));
  const colours = new Map<string, Set<string>>();
  for (const { colour, text } of signs) colours.set(text, (colours.get(text) ?? new Set()).add(colour));
  return [...colours].filter(([, used]) => used.size > 1).map(([text]) => text);
}

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const cases = CASES.filter(({ elsewhere }) => elsewhere === undefined);
const seen = { colours: 0 };

test.each(cases.map((one) => [`${one.command} ${String(one.args)}`, one] as const))('%s', async (_line, one) => {
  await world.prepare(one);
  const terminal = { tty: { stdout: true, stderr: true }, columns: 100 };
  const { code, stderr, stdout } = await world.run(one, ['--color', 'always'], undefined, terminal);
  expect(one.exits ?? [0], stderr).toContain(code);
  for (const text of [stdout, stderr]) {
    const { codes, pieces } = piecesOf(text);
    seen.colours += codes.length;
    expect(codes.filter((given) => !SIXTEEN.test(given))).toEqual([]);
    expect(doubtful(pieces)).toEqual([]);
  }
});

test('a refusal too', async () => {
  await world.prepare({ command: 'roles get', args: 'nobody' });
  const { stderr } = await world.run({ command: 'roles get', args: 'nobody' }, ['--color', 'always']);
  const { codes } = piecesOf(stderr);
  expect(codes).toContain('31');
  expect(codes.filter((given) => !SIXTEEN.test(given))).toEqual([]);
  // So many that the walk has seen what it is for.
  expect(seen.colours).toBeGreaterThan(200);
});
