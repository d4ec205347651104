// A list that is written in parts is identical to the same list written all at once.
import { expect, it } from 'vitest';
import {
  canGoInParts,
  textInParts,
  type AnyView,
  resultText,
  type Surface,
} from '../../../../../src/lib/runtime/output/result-text.ts';
import type { GlobalFlags, OutputFormat } from '../../../../../src/lib/runtime/context.ts';
import { plainStyle } from '../../../../../src/lib/render/style.ts';

interface Row {
  id: string;
  states: string[];
}
const view = {
  kind: 'list',
  columns: [
    { key: 'id', id: true, value: (row: Row) => row.id },
    { key: 'states', value: (row: Row) => row.states.join('; ') },
  ],
  empty: '',
} as unknown as AnyView;
const target: Surface = { terminal: false, width: 80, style: plainStyle };
const flagsOf = (output: OutputFormat, header = true): GlobalFlags =>
  ({ output, header, summary: false }) as unknown as GlobalFlags;
const rows = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `=r${from + index}`,
    states: index % 3 === 0 ? [] : ['a', 'ü"'],
  }));

async function* inParts(parts: Row[][]): AsyncGenerator<Row[]> {
  for (const part of parts) yield await Promise.resolve(part);
}

it.each<OutputFormat>(['json', 'ndjson', 'csv', 'table', 'name'])(
  'writes the same %s in parts as all at once',
  async (output) => {
    for (const parts of [[], [[]], [rows(0, 1)], [rows(0, 2500), [], rows(2500, 7)]]) {
      for (const header of [true, false]) {
        const flags = flagsOf(output, header);
        expect(canGoInParts(flags, target)).toBe(true);
        let text = '';
        for await (const piece of textInParts(inParts(parts), view, flags, target)) text += piece;
        expect(text).toBe(await resultText(parts.flat(), view, flags, target));
      }
    }
  },
);

it('does not split Markdown, a summary, or a table on a terminal into parts', () => {
  expect(canGoInParts(flagsOf('table'), { ...target, terminal: true })).toBe(false);
  expect(canGoInParts(flagsOf('markdown'), target)).toBe(false);
  expect(canGoInParts({ ...flagsOf('csv'), summary: true }, target)).toBe(false);
});
