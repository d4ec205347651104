// `log` lists every write from this machine, `log verify` checks the log, and `log prune` shortens it.
import * as z from 'zod/mini';
import { fail } from '../../lib/errors/fail.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { findByBeginning, nearestHint } from '../../lib/kernel/nearest.ts';
import { counted, sizeText } from '../../lib/kernel/words.ts';
import { isoMillis } from '../../lib/kernel/timestamps.ts';
import { fields, type ListView, ranked } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { loggedWrite, type LoggedWrite, openWriteLog } from '../../lib/runtime/memory/write-log.ts';
import { savedRevisions } from '../../lib/runtime/memory/roles.ts';
import { placeOf } from '../../lib/runtime/target.ts';
import { chainCommand, emitChain, findBroken } from '../chain-report.ts';
import { NEWEST, type Picker } from '../pick.ts';
import { beforeFlag, readBefore, readSince } from '../flag-values.ts';

const NOTED_BYTES = 2 ** 20;

const view: ListView<LoggedWrite> = {
  kind: 'list',
  columns: [
    { key: 'id', id: true, value: (it) => it.id },
    { key: 'at', value: (it) => it.at, said: (it) => it.at.slice(5, 19).replace('T', ' ') },
    { key: 'command', value: (it) => it.command },
    {
      key: 'args',
      rank: 1,
      value: (it) => it.args.join(' '),
      said: ({ args, files, ids }) => [args, ids, files].find(([one]) => one)?.join(' '),
    },
    {
      key: 'outcome',
      value: (it) => it.outcome,
      paint: (text, { outcome: it }, { green, red, yellow }) =>
        (it === 'done' ? green : it === 'rejected' ? red : yellow)(text),
    },
    { key: 'undo', rank: 2, value: (it) => it.undo, said: (it) => it.undo?.split(' ').slice(1, 3).join(' ') },
    {
      key: 'target',
      rank: 3,
      value: (it) => placeOf(it.target).join(', '),
      said: (it) => placeOf(it.target).find((part) => / \d+$/.test(part)),
    },
    ...ranked({ profile: 4, by: 5, host: 6, error: 7 }),
    {
      key: 'counts',
      rank: 8,
      value: ({ counts }) =>
        Object.entries(counts)
          .map((pair) => pair.join('='))
          .join(' '),
    },
    ...ranked({ plan: 9, requests: 10, digest: 11, via: 12 }),
    { key: 'request_ids', rank: 13, value: (it) => it.request_ids.join(' ') },
    { key: 'files', rank: 14, value: (it) => it.files.join(' ') },
    { key: 'ids', rank: 15, value: (it) => it.ids.join(' ') },
    ...ranked({ journal: 16, ended_at: 17, undo_note: 18 }),
  ],
  empty: 'This machine has not written to a platform yet.',
};

/** The columns with their full text, even if it does not fit in a table. */
const inFull = view.columns.map(({ said: _said, ...column }) => column);

const list = { text: 'To list the entries:', command: 'cdpadm log' };

const pickWrite: Picker = {
  question: 'Write',
  list: list.command,
  newest: NEWEST,
  choices: (ctx) => {
    const texts = view.columns.slice(0, 5).map(({ said, value }) => said ?? value);
    const newest = openWriteLog(ctx).entries(() => true, NEWEST);
    const label = (it: LoggedWrite): string => texts.map((text) => text(it)).join('  ');
    return Promise.resolve(newest.reverse().map((it) => ({ value: it.id, label: label(it) })));
  },
};

/** Removes undo commands whose saved manifest was removed by `roles history prune`. */
async function withoutPruned(ctx: Context, entries: LoggedWrite[]): Promise<LoggedWrite[]> {
  let saved: Set<string> | undefined;
  for (const entry of entries) {
    const [, revision] = /cdpadm roles rollback (\S+)/.exec(`${entry.undo} ${entry.undo_note}`) ?? [];
    if (revision === undefined || (saved ??= await savedRevisions(ctx)).has(revision)) continue;
    Object.assign(entry, { undo: null, undo_note: `The saved manifest ${revision} was removed from this machine.` });
  }
  return entries;
}

const showLog = defineCommand({
  path: 'log show',
  summary: 'show one write in full',
  effect: 'local',
  calls: 'none',
  args: { id: { help: 'id from `cdpadm log`, or its first characters', pick: pickWrite } },
  output: () => loggedWrite(),
  notes: [
    '`undo` is the command that undoes the write. `undo_note` shows what else that command undoes, what it does not restore, or why there is no such command.',
  ],
  examples: ['cdpadm log show 4f1c', 'cdpadm log show 4f1c --query undo -o name'],
  exits: { usage: 'several ids begin with these characters', notFound: 'no entry has this id' },
  run: async (ctx, { args }) => {
    const matches = openWriteLog(ctx).entries(({ id }) => id.startsWith(args.id));
    const found = await withoutPruned(ctx, matches);
    const ids = found.map(({ id }) => id);
    const entry = found[ids.indexOf(findByBeginning(args.id, ids, 'id', list) ?? '')];
    if (entry) return entry;
    throw fail('log.not_found', { message: `The log has no entry ${args.id}.`, hint: list });
  },
  view: { kind: 'record', columns: inFull },
});

const verifyLog = defineCommand({
  path: 'log verify',
  ...chainCommand,
  summary: 'check that no line of the log was changed or removed',
  notes: [
    'Each write has two entries, each on its own line: the first is written before the first request, the second when the command ends. An entry has a number, and a hash that covers the entry and the hash of the previous entry. `unfinished` counts writes whose end was not recorded: the command was killed or is still running.',
    'The chain reveals later edits, but cannot detect that the whole log was rewritten: record the head elsewhere, and compare it with --head.',
  ],
  examples: ['cdpadm log verify', 'cdpadm log verify -o json'],
  run: (ctx, { flags }) => emitChain(ctx, openWriteLog(ctx), 'log', flags.head),
});

const pruneLog = defineCommand({
  path: 'log prune',
  summary: 'remove log lines that are older than a date',
  effect: 'local',
  calls: 'none',
  flags: beforeFlag,
  output: () => z.object({ lines: z.int(), before: z.string(), bytes: z.int() }),
  notes: [
    'Checkpoints replace the removed lines, so that `log verify` still passes. Pruning cannot be undone. Save the lines first: `cdpadm log -o ndjson --out log.ndjson`.',
  ],
  examples: ['cdpadm log prune --before 2024-01-01 --dry-run', 'cdpadm log prune --before 2024-01-01 --yes'],
  exits: { failed: 'the chain is broken, so the log is not pruned', guard: 'you answered no' },
  run: async (ctx, { flags }) => {
    const before = readBefore(flags.before);
    const log = openWriteLog(ctx);
    const broken = await findBroken(ctx, log, 'log');
    if (broken) throw broken;
    const found = log.linesBefore(before);
    const what = `${counted(found, 'line')} of the log (${sizeText(log.size())})`;
    if (ctx.flags.dryRun) return await ctx.out.emitDryRun([], { lines: found, before }, `${what} would be removed.`);
    if (found > 0) await ctx.prompt.confirm(`Remove ${what}? This cannot be undone.`);
    const lines = found === 0 ? 0 : await log.prune(before);
    return { lines, before, bytes: log.size() };
  },
  view: { kind: 'record', columns: fields('lines', 'before', 'bytes') },
});

export const command = defineCommand({
  path: 'log',
  tool: ['since', 'limit'],
  summary: 'list every write from this machine',
  effect: 'local',
  calls: 'none',
  flags: {
    since: { value: 'time', help: 'only writes since a date or time, or within a duration such as 7d' },
    command: { value: 'words', help: "only writes by this command or group, such as roles or 'dsr submit'" },
    limit: { value: 'n', most: 1_000_000, help: 'only the newest N writes' },
  },
  output: () => z.array(loggedWrite()),
  notes: [
    'The oldest write comes first. A bulk run is one write. A command that was killed or is still running has the outcome `unknown`.',
    '`counts` shows what was done, not what was planned. `via` is `mcp` if an assistant called the command. The log contains no secrets and no identities. `digest` is keyed: only this machine can recompute it.',
  ],
  examples: ['cdpadm log --since 7d', 'cdpadm log --command roles --limit 20 -o wide', 'cdpadm log -o ndjson'],
  below: [showLog, verifyLog, pruneLog],
  run: async (ctx, { flags }) => {
    const { command: words } = flags;
    const since = flags.since === undefined ? '' : isoMillis(readSince(flags.since, ctx.clock.now()));
    const known = words === undefined ? [] : pathsOf(await ctx.commands());
    if (words !== undefined && !known.includes(words)) {
      const all = { text: 'To list all commands:', command: 'cdpadm --help' };
      throw usageError(`Unknown command \`${words}\` in --command.`, nearestHint(words, known, all));
    }
    const log = openWriteLog(ctx);
    const isWanted = ({ at, command: own }: LoggedWrite): boolean =>
      at >= since && (words === undefined || `${own} `.startsWith(`${words} `));
    const found = await withoutPruned(ctx, log.entries(isWanted, flags.limit));
    const columns = ctx.flags.wide ? inFull : view.columns;
    await ctx.out.emit(found, { ...view, columns, ...(log.size() > 0 && { empty: 'No write in the log matches.' }) });
    if (ctx.io.tty.stdout && found.length > 0 && ctx.flags.output === 'table')
      ctx.out.note({ text: 'To see a write in full, with the command that undoes it:', command: 'cdpadm log show ID' });
    const begins = log.begins();
    if (begins === undefined || log.size() < NOTED_BYTES) return;
    const text = `The log is ${sizeText(log.size())} and starts on ${begins.slice(0, 10)}. To shorten it:`;
    ctx.out.note({ text, command: 'cdpadm log prune --before DATE' });
  },
});

function pathsOf({ commands }: Awaited<ReturnType<Context['commands']>>, above = ''): string[] {
  return commands.flatMap((one) => [`${above}${one.name()}`, ...pathsOf(one, `${above}${one.name()} `)]);
}
