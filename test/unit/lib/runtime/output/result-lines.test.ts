// States written one at a time, in each format.
import { expect, it } from 'vitest';
import type { ListView } from '../../../../../src/lib/render/view.ts';
import type { Context } from '../../../../../src/lib/runtime/context.ts';
import { createResultLines } from '../../../../../src/lib/runtime/output/result-lines.ts';

interface State {
  id: number;
  status: string;
}

const view: ListView<State> = {
  kind: 'list',
  columns: [
    { key: 'id', id: true, value: ({ id }) => id },
    { key: 'status', value: ({ status }) => status },
  ],
  empty: '',
};

it.each([
  ['csv', 'with', 'id,status\n1,queued\n1,success\n'],
  ['csv', 'without', '1,queued\n1,success\n'],
  ['markdown', 'with', '| ID | STATUS |\n| --- | --- |\n| 1 | queued |\n| 1 | success |\n'],
  ['yaml', 'with', '---\nid: 1\nstatus: queued\n---\nid: 1\nstatus: success\n'],
  ['name', 'with', '1\n1\n'],
  ['table', 'with', '1 is queued\n1 is success\n'],
  ['ndjson', 'with', '{"id":1,"status":"queued"}\n{"id":1,"status":"success"}\n'],
])('writes states as %s %s headings', async (output, headings, expected) => {
  let written = '';
  const out = {
    emitLine: (data: unknown, text: string | (() => string)) => {
      const line = output === 'ndjson' ? JSON.stringify(data) : typeof text === 'string' ? text : text();
      written += `${line}\n`;
      return Promise.resolve();
    },
  };
  const ctx = {
    flags: { output, header: headings === 'with' },
    io: { columns: () => 80, tty: { stdout: false } },
    out,
  } as unknown as Context;
  const { begin, tell } = createResultLines(ctx, view, ({ id, status }) => `${id} is ${status}`);
  await tell({ id: 1, status: 'queued' });
  await tell({ id: 1, status: 'success' });
  expect(written).toBe(expected);
  // The headings are written only once.
  await begin();
  expect(written).toBe(expected);
});

it('writes no headings if --query selects the values', async () => {
  const written: unknown[] = [];
  const out = { emitLine: (data: unknown) => Promise.resolve(void written.push(data)) };
  const ctx = { flags: { output: 'csv', header: true, query: 'id' }, io: { tty: {} }, out } as unknown as Context;
  const { begin, tell } = createResultLines(ctx, view, () => '');
  await begin();
  await tell({ id: 1, status: 'queued' });
  expect(written).toEqual([{ id: 1, status: 'queued' }]);
});

it.each([
  ['csv', 'with', 'id,status\n'],
  ['csv', 'without', ''],
  ['markdown', 'with', '| ID | STATUS |\n| --- | --- |\n'],
  ['yaml', 'with', ''],
  ['name', 'with', ''],
  ['table', 'with', ''],
  ['ndjson', 'with', ''],
])(
  'writes the headings, if any, exactly once before the first row: %s %s headings',
  async (output, headings, expected) => {
    let written = '';
    const out = { emitLine: (_data: unknown, text: string) => Promise.resolve(void (written += `${text}\n`)) };
    const ctx = {
      flags: { output, header: headings === 'with' },
      io: { columns: () => 80, tty: { stdout: false } },
      out,
    } as unknown as Context;
    const { begin, tell } = createResultLines(ctx, view, () => '');
    await begin();
    expect(written).toBe(expected);
    await Promise.all([tell({ id: 1, status: 'queued' }), begin()]);
    if (expected !== '') expect(written.split(/id/i).length).toBe(2);
  },
);

it('omits a state without an id with -o name', async () => {
  const written: unknown[] = [];
  const out = { emitLine: (_data: unknown, text: unknown) => Promise.resolve(void written.push(text)) };
  const ctx = {
    flags: { output: 'name', header: true },
    io: { columns: () => 80, tty: { stdout: false } },
    out,
  } as unknown as Context;
  const columns: ListView<{ id?: number }>['columns'] = [{ key: 'id', id: true, value: ({ id }) => id }];
  const { tell } = createResultLines<{ id?: number }>(ctx, { kind: 'list', columns, empty: '' }, () => '');
  await tell({});
  await tell({ id: 7 });
  expect(written).toEqual(['7']);
});

it.each([
  ['wraps a line between words on a terminal', true, '2026-11-21T08:00:00Z  202  pending:\n  nothing new\n'],
  ['does not wrap a line in a pipe', false, '2026-11-21T08:00:00Z  202  pending: nothing new\n'],
])('%s', async (_what, stdout, expected) => {
  let written = '';
  const out = { emitLine: (_data: unknown, text: () => string) => Promise.resolve(void (written += `${text()}\n`)) };
  const io = { columns: () => 40, tty: { stdout } };
  const ctx = { flags: { output: 'table', header: true }, io, out } as unknown as Context;
  const { tell } = createResultLines(ctx, view, () => '2026-11-21T08:00:00Z  202  pending: nothing new');
  await tell({ id: 1, status: 'queued' });
  expect(written).toBe(expected);
});
