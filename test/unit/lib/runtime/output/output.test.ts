// Results in every format, on a terminal, in a pipe and in a file, and the messages that accompany them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parseJson } from '../../../../../src/lib/kernel/json.ts';
import type { DocumentView, ListView, RecordView, View } from '../../../../../src/lib/render/view.ts';
import type { Context } from '../../../../../src/lib/runtime/context.ts';
import { RunContext } from '../../../../../src/lib/runtime/run-context.ts';
import { OUTPUT_FORMATS, readGlobalFlags } from '../../../../../src/lib/runtime/command-line/global-flags.ts';
import { type CliOptions, createTestIo } from '../../../../helpers/cli.ts';
import { commandsIn, withoutFence } from '../../../../helpers/github-log.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';
import { runs } from '../../../../helpers/size.ts';

interface Row {
  id: bigint | number;
  name: string;
  tasks: string[];
}

const rows: Row[] = [
  { id: 9223372036854775807n, name: 'Big "quoted", with comma', tasks: ['a', 'b'] },
  { id: 7, name: '=1+1', tasks: [] },
  { id: 8, name: 'escape \u001b[31m and | pipe\nand line', tasks: ['c'] },
];

const list: ListView<Row> = {
  kind: 'list',
  columns: [
    { key: 'id', id: true, value: (row) => row.id },
    { key: 'name', value: (row) => row.name },
    { key: 'tasks', align: 'right', value: (row) => row.tasks.length },
  ],
  empty: 'There is nothing.',
};

const record: RecordView<Row> = { kind: 'record', columns: list.columns };

const document: DocumentView<Row[]> = {
  kind: 'document',
  text: (data, style) => data.map((row) => style.bold(String(row.id))).join('\n'),
  html: (data) => `<p>${data.length}</p>`,
};

async function capture(
  raw: Record<string, unknown>,
  act: (ctx: Context) => Promise<void> | void,
  options: CliOptions = {},
) {
  const { io, stdout, stderr } = createTestIo(options);
  const ctx = new RunContext(io, new AbortController().signal);
  await ctx.begin(readGlobalFlags(raw, io.env));
  await act(ctx);
  return { stdout: stdout(), stderr: stderr() };
}

const emit = <T>(raw: Record<string, unknown>, data: T, view: View<T>, options?: CliOptions) =>
  capture(raw, (ctx) => ctx.out.emit(data, view), options);

describe('the output', () => {
  const formats = OUTPUT_FORMATS.filter((format) => format !== 'html');

  it.each(formats)('matches its golden file for a list as %s', async (output) => {
    const { stdout, stderr } = await emit({ output }, rows, list);
    expect(stderr).toBe('');
    await expect(stdout).toMatchFileSnapshot(`../../../../golden/list.${output}`);
  });

  it.each(formats)('matches its golden file for a record as %s', async (output) => {
    const { stdout } = await emit({ output }, rows[0] as Row, record);
    await expect(stdout).toMatchFileSnapshot(`../../../../golden/record.${output}`);
  });

  it.each(['table', 'json', 'ndjson', 'yaml', 'markdown', 'html'])(
    'matches its golden file for a document as %s',
    async (output) => {
      const { stdout } = await emit({ output }, rows, document);
      await expect(stdout).toMatchFileSnapshot(`../../../../golden/document.${output}`);
    },
  );

  it.each(['csv', 'name'])("matches its golden file for a document's fields as %s", async (output) => {
    const { stdout } = await emit({ output }, rows, document);
    await expect(stdout).toMatchFileSnapshot(`../../../../golden/document.${output}`);
  });

  test("omits a record's empty fields on a terminal unless they are requested, but includes them in a pipe", async () => {
    const nameless = { ...(rows[1] as Row), name: '' };
    const shown = async (raw: Record<string, unknown>, options: CliOptions = {}) =>
      (await emit(raw, nameless, record, { env: { NO_COLOR: '1' }, ...options })).stdout;
    expect(await shown({}, { tty: true })).toBe('ID     7\nTASKS  0\n');
    expect(await shown({ fields: 'name,tasks' }, { tty: true })).toBe('NAME\nTASKS  0\n');
    expect(await shown({ query: '{id: id, name: name}' }, { tty: true })).toBe('ID    7\nNAME\n');
    expect(await shown({})).toBe('id\t7\nname\t\ntasks\t0\n');
  });

  test('matches its golden file for a list on a terminal', async () => {
    const { stdout } = await emit({}, rows, list, { tty: true, env: { NO_COLOR: '1' } });
    await expect(stdout).toMatchFileSnapshot('../../../../golden/list-terminal.txt');
  });
});

test('keeps 64-bit integers exact in JSON, NDJSON, YAML, CSV, tables, names and queries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), async (id) => {
      const data = [{ id, name: 'x', tasks: [] }];
      const text = async (raw: Record<string, unknown>): Promise<string> => (await emit(raw, data, list)).stdout;
      const read = async (raw: Record<string, unknown>): Promise<unknown> =>
        (parseJson(await text(raw)) as Row[])[0]?.id;
      expect(String(await read({ json: true }))).toBe(String(id));
      expect((parseJson(await text({ output: 'ndjson' })) as Row).id).toEqual(await read({ json: true }));
      const [fromYaml] = parseYaml(await text({ output: 'yaml' }), { intAsBigInt: true }) as Row[];
      expect(fromYaml?.id).toBe(id);
      expect((parseCsv(await text({ output: 'csv' })) as string[][])[1]?.[0]).toBe(String(id));
      expect((await text({})).split('\n')[1]?.split('\t')[0]).toBe(String(id));
      expect(await text({ output: 'name' })).toBe(`${id}\n`);
      expect((await text({ json: true, query: '[0].id' })).replaceAll('"', '').trim()).toBe(String(id));
    }),
    runs(50),
  );
});

describe('--query', () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      '[].{name: name, id: id}',
      {},
      'NAME\tID\nBig "quoted", with comma\t9223372036854775807\n=1+1\t7\nescape \ufffd[31m and | pipe and line\t8\n',
    ],
    ["[?id=='9223372036854775807'].name | [0]", {}, '"Big \\"quoted\\", with comma"\n'],
    ['[0]', { output: 'csv', fields: 'id' }, 'id\n9223372036854775807\n'],
    ['length(@)', { json: true }, '3\n'],
    ['[].id', { output: 'ndjson' }, '"9223372036854775807"\n7\n8\n'],
    ['missing', {}, 'null\n'],
    ['[?id==`99`]', {}, ''],
    ['[?id==`99`]', { output: 'name' }, ''],
    ['[?id==`99`]', { json: true }, '[]\n'],
    // Plain values are printed one per line, or in one column.
    ['[0].name', { output: 'name' }, 'Big "quoted", with comma\n'],
    ['[].id', { output: 'name' }, '9223372036854775807\n7\n8\n'],
    ['[].tasks[]', { output: 'name' }, 'a\nb\nc\n'],
    ['missing', { output: 'name' }, ''],
    ['[].id', { output: 'csv' }, 'value\n9223372036854775807\n7\n8\n'],
    ['[].id', { output: 'csv', header: false }, '9223372036854775807\n7\n8\n'],
    ['[].id', { output: 'markdown' }, '| VALUE |\n| --- |\n| 9223372036854775807 |\n| 7 |\n| 8 |\n'],
    ['[2].tasks', { output: 'csv' }, 'value\nc\n'],
    ['[].id', {}, '[\n  "9223372036854775807",\n  7,\n  8\n]\n'],
    ['[].{label: name, row_id: id}', { output: 'name' }, '9223372036854775807\n7\n8\n'],
  ])('applies %s with the flags %j', async (query, raw, expected) => {
    expect((await emit({ ...raw, query }, rows, list)).stdout).toBe(expected);
  });

  test.each<[string, Record<string, unknown>, CliOptions?]>([
    ['missing', {}],
    ['missing', { output: 'csv' }],
    ['missing', { output: 'name' }],
    ['[].missing', {}],
    ['missing', { output: 'json' }, { tty: true }],
  ])('lists the available fields if %s finds nothing with the flags %j', async (query, raw, options) => {
    const { stderr } = await emit({ ...raw, query }, rows, list, options);
    expect(stderr.replace(/\s+/g, ' ')).toMatch(
      /^The query found nothing\. It was applied to a list of records with id, name, .*\. $/,
    );
    expect((await emit({ ...raw, query, quiet: true }, rows, list, options)).stderr).toBe('');
    const several = await emit({ ...raw, query, profile: ['a', 'b'] }, rows, list, options);
    expect(several.stderr.replace(/\s+/g, ' ')).toContain(
      'With several profiles, it is applied to the list of {profile, data}.',
    );
  });

  it.each(['{n: length(@)}', '[].{n: length(tasks)}', '[].tasks'])(
    'rejects %s with -o name, because its result has no id',
    async (query) => {
      const attempt = emit({ output: 'name', query }, rows, list);
      await expect(attempt).rejects.toMatchObject({
        code: 'usage',
        hint: expect.stringContaining('--query') as string,
      });
    },
  );

  test('lists the available formats if the command has no html format', async () => {
    const attempt = emit({ output: 'html', query: '[].id' }, rows, list);
    const hint = 'Use -o table, json, ndjson, yaml, csv, markdown or name.';
    await expect(attempt).rejects.toMatchObject({ code: 'usage', hint });
  });

  test('does not print escape characters in CSV or YAML on a terminal', async () => {
    for (const output of ['csv', 'yaml'])
      for (const query of ['[].name', '[].{name: name}'])
        expect((await emit({ output, query }, rows, list, { tty: true })).stdout).not.toContain('\u001b');
  });

  test('rejects an invalid query before the command runs', async () => {
    let hasRun = false;
    const attempt = capture({ query: '[?' }, () => void (hasRun = true));
    await expect(attempt).rejects.toMatchObject({ code: 'usage' });
    expect(hasRun).toBe(false);
  });
});

describe('the ids from a dry run', () => {
  const dry = (raw: Record<string, unknown>, ids?: string[]) =>
    capture(raw, ({ out }) => out.emitDryRun([], { plan: 'abc' }, undefined, ids));

  test('are the ids that the command would print', async () => {
    expect((await dry({ output: 'name' }, ['a', 'b'])).stdout).toBe('a\nb\n');
    expect((await dry({ output: 'name' }, [])).stdout).toBe('');
  });

  test('are omitted if the command does not provide any, unless a query returns values', async () => {
    expect((await dry({ output: 'name' })).stdout).toBe('');
    expect((await dry({ output: 'name', query: 'plan.plan' })).stdout).toBe('abc\n');
  });
});

describe('columns', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ fields: 'name,id' }, 'NAME\tID\n=1+1\t7\n'],
    [{ fields: 'id', header: false }, '7\n'],
    [{ output: 'csv', header: false }, "7,'=1+1,0\n"],
  ])('are printed as the flags specify: %j', async (raw, expected) => {
    expect((await emit(raw, rows.slice(1, 2), list)).stdout).toBe(expected);
  });

  test('are rejected with a suggested name if they are unknown', async () => {
    const attempt = emit({ fields: 'nmae' }, rows, list);
    await expect(attempt).rejects.toMatchObject({ code: 'usage', hint: expect.stringContaining('`name`') as string });
  });
});

describe('an empty list', () => {
  it.each<[string, Record<string, unknown>, CliOptions, { stdout: string; stderr: string }]>([
    ['a note on a terminal', {}, { tty: true }, { stdout: '', stderr: 'There is nothing.\n' }],
    ['headings and a note in a pipe', {}, {}, { stdout: 'ID\tNAME\tTASKS\n', stderr: 'There is nothing.\n' }],
    ['nothing on a terminal with -q', { quiet: true }, { tty: true }, { stdout: '', stderr: '' }],
    ['an empty array with --json', { json: true }, {}, { stdout: '[]\n', stderr: '' }],
    ['a header with -o csv', { output: 'csv' }, {}, { stdout: 'id,name,tasks\n', stderr: '' }],
    ['nothing with -o name', { output: 'name' }, {}, { stdout: '', stderr: '' }],
  ])('is printed as %s', async (_what, raw, options, expected) => {
    expect(await emit(raw, [], list as ListView<never>, options)).toEqual(expected);
  });
});

describe('--out', () => {
  test('writes the file without color, and does not print anything on standard output', async () => {
    const cwd = temporaryFolder();
    const { stdout } = await emit({ out: 'result.txt', color: 'always' }, rows, document, { cwd, tty: true });
    expect(stdout).toBe('');
    expect(readFileSync(join(cwd, 'result.txt'), 'utf8')).toBe('9223372036854775807\n7\n8\n');
  });

  test('accepts - as standard output', async () => {
    expect((await emit({ out: '-', json: true }, 1, record as never)).stdout).toBe('1\n');
  });
});

describe('hostile text', () => {
  const evil = 'x\u001b]0;title\u0007\u202e';
  it.each(['yaml', 'csv'])('is cleaned on a terminal but unchanged in a pipe, as %s', async (output) => {
    const data = [{ id: 1, name: evil, tasks: [] }];
    const shown = await emit({ output }, data, list, { tty: true });
    const piped = await emit({ output }, data, list);
    expect(shown.stdout).not.toMatch(/[\p{Bidi_Control}]|(?!\n)\p{Cc}/u);
    const read =
      output === 'csv' ? (parseCsv(piped.stdout) as string[][])[1]?.[1] : (parseYaml(piped.stdout) as Row[])[0]?.name;
    expect(read).toBe(evil);
  });

  test('is cleaned in text, lines, notes and warnings', async () => {
    const { stdout, stderr } = await capture(
      {},
      async ({ out }) => {
        await out.emitText(evil);
        await out.emitLine({}, evil);
        out.note(evil);
        out.warn(evil);
      },
      { tty: true, env: { NO_COLOR: '1' } },
    );
    expect(stdout + stderr).not.toMatch(/[\p{Bidi_Control}]|(?!\n)\p{Cc}/u);
  });
});

describe('the lines of a command that keeps running', () => {
  const states = [{ id: 2n ** 63n - 1n, status: 'queued' }, { id: 7 }];
  const emitAll = (raw: Record<string, unknown>, options?: CliOptions) =>
    capture(
      raw,
      async ({ out }) => {
        for (const state of states) await out.emitLine(state, `Run ${state.id}`);
      },
      options,
    );

  test.each([
    [{ output: 'json', query: 'id' }, '"9223372036854775807"\n7\n'],
    [{ output: 'ndjson', query: 'status' }, '"queued"\nnull\n'],
    [{ query: 'id' }, '9223372036854775807\n7\n'],
    [{ output: 'yaml', query: '{s: status}' }, '{"s":"queued"}\n{"s":null}\n'],
  ])('contain only what --query finds: %o', async (raw, expected) => {
    expect((await emitAll(raw)).stdout).toBe(expected);
  });

  test('go to the --out file, whose earlier content they replace', async () => {
    const cwd = temporaryFolder();
    for (let round = 0; round < 2; round++) {
      const { stdout, stderr } = await emitAll({ out: 'runs.txt' }, { cwd });
      expect([stdout, stderr]).toEqual(['', 'Written to runs.txt.\n']);
      expect(readFileSync(join(cwd, 'runs.txt'), 'utf8')).toBe('Run 9223372036854775807\nRun 7\n');
    }
  });
});

describe('color', () => {
  it.each<[string, Record<string, unknown>, CliOptions, boolean]>([
    ['used on a terminal', {}, { tty: true }, true],
    ['omitted in a pipe', {}, {}, false],
    ['omitted in a pipe if standard error is a terminal', {}, { tty: { stderr: true } }, false],
    ['used in a pipe with --color always', { color: 'always' }, {}, true],
    ['omitted on a terminal with --no-color', { color: false }, { tty: true }, false],
    ['omitted on a terminal with NO_COLOR', {}, { tty: true, env: { NO_COLOR: '1' } }, false],
    ['omitted on a terminal with --json', { json: true }, { tty: true }, false],
  ])('is %s', async (_what, raw, options, colored) => {
    expect((await emit(raw, rows, document, options)).stdout.includes('\u001b[1m')).toBe(colored);
  });
});

describe('messages', () => {
  it('wrap at word boundaries and keep their columns aligned before a prompt', async () => {
    const draw = ({ out }: Context) =>
      out.show(() => 'Target: profile prod, workspace 3001\n  role  can see every page of a user');
    const { stderr } = await capture({ color: false }, draw, { tty: true, columns: 30 });
    expect(stderr).toBe('Target: profile prod,\nworkspace 3001\n  role  can see every page of\n        a user\n');
  });

  const report = ({ out }: Context): void => {
    out.note('done');
    out.warn('careful');
    out.verbose('because');
    out.show(() => 'drawing');
  };
  it.each<[string, Record<string, unknown>, CliOptions, string]>([
    ['include notes and warnings in a pipe', {}, {}, 'done\nWarning: careful\ndrawing\n'],
    ['include reasons with -v', { verbose: true }, {}, 'done\nWarning: careful\nbecause\ndrawing\n'],
    ['are only warnings with -q', { quiet: true }, {}, 'Warning: careful\n'],
    ['are only JSON warnings in a pipe with --json', { json: true }, {}, '{"warning":{"message":"careful"}}\n'],
    [
      'are text on a terminal with --json',
      { json: true, color: false },
      { tty: true },
      'done\nWarning: careful\ndrawing\n',
    ],
    [
      'include what a question needs on a terminal with -q',
      { quiet: true, color: false },
      { tty: true },
      'Warning: careful\ndrawing\n',
    ],
    [
      'are only warnings on a terminal with -q and --yes',
      { quiet: true, yes: true, color: false },
      { tty: true },
      'Warning: careful\n',
    ],
  ])('%s', async (_what, raw, options, expected) => {
    expect((await capture(raw, report, options)).stderr).toBe(expected);
  });

  test('wrap at word boundaries only on a terminal', async () => {
    const long = ({ out }: Context): void => {
      out.note('What is said here is longer than the line');
      out.warn('and this is longer than it too');
    };
    const shown = await capture({ color: false }, long, { tty: true, columns: 24 });
    expect(shown.stderr).toBe('What is said here is\nlonger than the line\nWarning: and this is\nlonger than it too\n');
    const piped = await capture({}, long, { columns: 24 });
    expect(piped.stderr.split('\n')).toHaveLength(3);
  });

  test('do not contain secrets', async () => {
    const { stderr } = await capture({ verbose: true }, ({ out, redactor }) => {
      redactor.add('hunter22');
      out.note('a hunter22');
      out.warn('b hunter22');
      out.verbose('c hunter22');
    });
    expect(stderr).toBe('a ********\nWarning: b ********\nc ********\n');
  });
});

describe('dry runs', () => {
  const requests = [{ method: 'PUT', url: 'https://platform.example/roles', body: { id: 9223372036854775807n } }];

  test('print the requests and the plan as JSON', async () => {
    const { stdout } = await capture({ json: true }, ({ out }) => out.emitDryRun(requests, { summary: 1 }));
    expect(parseJson(stdout)).toEqual({ dry_run: true, requests, plan: { summary: 1 } });
  });

  test('always include `plan` in JSON, and set it to null if the requests are the whole plan', async () => {
    const { stdout } = await capture({ json: true }, ({ out }) => out.emitDryRun(requests));
    expect(parseJson(stdout)).toEqual({ dry_run: true, requests, plan: null });
  });

  it.each<[string, () => Parameters<Context['out']['emitDryRun']>, string]>([
    ['the requests', () => [requests], 'PUT https://platform.example/roles\n{\n  "id": 9223372036854775807\n}\n'],
    ['that nothing would be sent', () => [[]], 'Nothing would be sent.\n'],
    ['the text of the command', () => [requests, undefined, () => 'a plan'], 'a plan\n'],
  ])('print %s', async (_what, given, expected) => {
    expect((await capture({}, ({ out }) => out.emitDryRun(...given()))).stdout).toBe(expected);
  });
});

describe('a failing standard output', () => {
  test('raises BrokenPipeError for a closed pipe', async () => {
    await expect(emit({}, rows, list, { brokenPipe: true })).rejects.toMatchObject({ name: 'BrokenPipeError' });
  });
});

describe('the GitHub Actions log', () => {
  const env = { GITHUB_ACTIONS: 'true' };
  const names = ['::error::x', '  \u00a0::set-output name=a::b', 'a ##[error]b', 'a\n::warning::b\r::add-mask::c'];
  const data = names.map((name, id) => ({ id, name, tasks: [] }));
  const plain: DocumentView<unknown> = { kind: 'document', text: () => names.join('\n'), names: () => names };

  it.each(['table', 'json', 'ndjson', 'yaml', 'csv', 'markdown', 'name'])(
    'does not contain workflow commands from %s output',
    async (output) => {
      const shown = await emit({ output }, data, list, { env });
      const document = await emit({ output }, data, plain as never, { env });
      expect(commandsIn(shown.stdout + document.stdout)).toEqual([]);
    },
  );

  it.each(OUTPUT_FORMATS.filter((format) => format !== 'html'))(
    'contains the result unchanged as %s',
    async (output) => {
      const { stdout } = await emit({ output }, data, list, { env });
      expect(withoutFence(stdout)).toBe((await emit({ output }, data, list)).stdout);
    },
  );

  test('does not contain a fence if the result is written to a file or has no workflow commands', async () => {
    const { stdout } = await emit({ output: 'name' }, rows, list, { env });
    expect(stdout).toBe((await emit({ output: 'name' }, rows, list)).stdout);
    const file = join(temporaryFolder(), 'out.csv');
    await emit({ output: 'csv', out: file }, data, list, { env });
    expect(readFileSync(file, 'utf8')).toBe((await emit({ output: 'csv' }, data, list)).stdout);
  });

  test('has a different random token in each fence', async () => {
    const { stdout } = await capture(
      {},
      async ({ out }) => {
        for (const name of names) await out.emitLine({}, name);
      },
      { env },
    );
    const tokens = [...stdout.matchAll(/^::stop-commands::(.+)$/gm)].map(([, token]) => token);
    expect(new Set(tokens).size).toBe(names.length);
  });

  test('does not contain workflow commands from lines, notes or warnings', async () => {
    const { stdout, stderr } = await capture(
      {},
      async ({ out }) => {
        for (const name of names) {
          await out.emitText(name);
          await out.emitLine({}, name);
          out.note(name);
          out.warn(name);
          out.show(() => name);
        }
      },
      { env },
    );
    expect(commandsIn(stdout)).toEqual([]);
    expect(commandsIn(stderr)).toEqual([]);
  });

  const secrets = ['s3cret%value', '{\n  "private_key": "abc"\n}', 's3cret%value', 'abc', '********'];
  const addAll = ({ redactor }: Context): void => {
    for (const secret of secrets) redactor.add(secret);
    redactor.hide('jane@example.com');
  };

  test('contains one mask command for each long line of a secret, but none for identities', async () => {
    const { stdout, stderr } = await capture({}, addAll, { env });
    expect(commandsIn(stderr)).toEqual(['::add-mask::s3cret%25value', '::add-mask::"private_key": "abc"']);
    expect(stdout).toBe('');
  });

  it.each<[string, Record<string, unknown>, Record<string, string>]>([
    ['with -o json', { output: 'json' }, env],
    ['outside GitHub Actions', {}, {}],
  ])('does not contain mask commands %s', async (_where, raw, environment) => {
    expect((await capture(raw, addAll, { env: environment })).stderr).toBe('');
  });
});
