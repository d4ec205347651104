// Runs commands with forced color: they use only the terminal's sixteen colors, and never convey meaning by color
// alone.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sample, size } from '../helpers/size.ts';
import { CASES } from './cases.ts';
import { nameOf } from './program.ts';
import { createWorld, type World } from './world.ts';

/**
 * Reset, bold, dim, italic, underline and their resets; the sixteen foreground and background colors and their resets.
 */
const SIXTEEN = /^(0|1|2|3|4|22|23|24|3[0-79]|4[0-79]|9[0-7]|10[0-7])$/;
const FOREGROUND = /^(3[0-7]|9[0-7])$/;

interface Piece {
  color: string;
  text: string;
}

/** Splits text where its color changes. */
function piecesOf(text: string): { pieces: Piece[]; codes: string[] } {
  const pieces: Piece[] = [];
  const codes: string[] = [];
  let color = '';
  for (const [, parameters, plain = ''] of `\u001b[m${text}`.matchAll(/\u001b\[([\d;]*)m([^\u001b]*)/g)) {
    const given = (parameters ?? '').split(';').filter(Boolean);
    codes.push(...given);
    for (const code of given) {
      if (FOREGROUND.test(code)) color = code;
      else if (code === '39' || code === '0') color = '';
    }
    for (const line of plain.split('\n')) if (line.trim() !== '') pieces.push({ color, text: line.trim() });
  }
  return { pieces, codes };
}

/** Returns signs whose meaning only the color shows: they appear in more than one color. */
function doubtful(pieces: readonly Piece[]): string[] {
  const signs = pieces.filter(({ text }) => !/[\p{L}\p{N}]/u.test(text));
  const colors = new Map<string, Set<string>>();
  for (const { color, text } of signs) colors.set(text, (colors.get(text) ?? new Set()).add(color));
  return [...colors].filter(([, used]) => used.size > 1).map(([text]) => text);
}

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const cases = CASES.filter(({ elsewhere }) => elsewhere === undefined);
const seen = { colors: 0 };

test.each(sample(cases, 60).map((one) => [nameOf(one), one] as const))(
  'does not convey meaning by color alone: %s',
  async (_line, one) => {
    await world.prepare(one);
    const terminal = { tty: { stdout: true, stderr: true }, columns: 100 };
    const { code, stderr, stdout } = await world.run(one, ['--color', 'always'], undefined, terminal);
    expect(one.exits ?? [0], stderr).toContain(code);
    for (const text of [stdout, stderr]) {
      const { codes, pieces } = piecesOf(text);
      seen.colors += codes.length;
      expect(codes.filter((given) => !SIXTEEN.test(given))).toEqual([]);
      expect(doubtful(pieces)).toEqual([]);
    }
  },
);

test('prints an error in the red of the sixteen colors', async () => {
  await world.prepare({ command: 'roles get', args: 'none' });
  const { stderr } = await world.run({ command: 'roles get', args: 'none' }, ['--color', 'always']);
  const { codes } = piecesOf(stderr);
  expect(codes).toContain('31');
  expect(codes.filter((given) => !SIXTEEN.test(given))).toEqual([]);
  // Proves that the cases above printed colors.
  expect(seen.colors).toBeGreaterThan(size(200, 60));
});
