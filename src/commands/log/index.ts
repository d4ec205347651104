// `log`: every write from this machine. `log verify` checks the log, and `log prune` shortens it.
import { array, int, object, string } from 'zod/mini';
import { counted } from '../../lib/kernel/words.ts';
import { isoMillis } from '../../lib/kernel/timestamps.ts';
import type { Style } from '../../lib/render/style.ts';
import { fields, type ListView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { loggedWrite, type LoggedWrite, openWriteLog } from '../../lib/runtime/memory/write-log.ts';
import { chainResult, chainView, emitChain, headFlag, throwIfBroken } from '../chain-report.ts';
import { beforeFlag, readBefore, readCount, readSince, sizeText } from '../flag-values.ts';

const PAINTS: Partial<Record<LoggedWrite['outcome'], keyof Pick<Style, 'green' | 'red' | 'yellow'>>> = {
  done: 'green',
  rejected: 'red',
  partial: 'yellow',
  unknown: 'yellow',
};

const view: ListView<LoggedWrite> = {
  kind: 'list',
  columns: [
    { key: 'id', id: true, value: (it) => it.id },
    { key: 'at', value: (it) => it.at, said: (it) => it.at.slice(0, 19).replace('T', ' ') },
    { key: 'command', value: (it) => it.command },
    { key: 'args', value: (it) => it.args.join(' ') },
    {
      key: 'outcome',
      value: (it) => it.outcome,
      paint: (text, it, style) => style[PAINTS[it.outcome] ?? 'yellow'](text),
    },
    { key: 'profile', rank: 1, value: (it) => it.profile },
    { key: 'target', rank: 4, value: (it) => Object.values(it.target).filter(Boolean).join(', ') },
    { key: 'undo', rank: 2, value: (it) => it.undo },
    { key: 'by', rank: 3, value: (it) => it.by },
    { key: 'host', rank: 5, value: (it) => it.host },
    { key: 'via', rank: 13, value: (it) => it.via },
    { key: 'error', rank: 6, value: (it) => it.error },
    { key: 'counts', rank: 7, value: (it) => pairs(it.counts) },
    { key: 'plan', rank: 8, value: (it) => it.plan },
    { key: 'digest', rank: 10, value: (it) => it.digest },
    { key: 'requests', rank: 9, align: 'right', value: (it) => it.requests },
    { key: 'request_ids', rank: 11, value: (it) => it.request_ids.join(' ') },
    { key: 'ended_at', rank: 12, value: (it) => it.ended_at },
  ],
  empty: 'This machine has not written to a platform yet.',
};

function pairs(counts: LoggedWrite['counts']): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}=${count}`)
    .join(' ');
}

const verifyLog = defineCommand({
  path: 'log verify',
  tool: [],
  summary: 'check that no line of the log was changed or removed',
  effect: 'local',
  calls: 'none',
  flags: headFlag,
  columns: chainView.columns,
  output: chainResult,
  notes: [
    'Each write has two entries, one line each: before the first request, and when the command ends. An entry has a number, and a hash of itself and the entry before it. `unfinished` counts writes whose end was not recorded: the command was killed or is still running.',
    'The chain reveals later edits. It does not reveal that the whole log was rewritten: record the head elsewhere, and compare it with --head.',
  ],
  examples: ['cdpadm log verify', 'cdpadm log verify -o json'],
  exits: { failed: 'a line was changed, removed or added, or --head is not in the chain' },
  run: (ctx, { flags }) => emitChain(ctx, openWriteLog(ctx), 'log', flags.head),
});

const pruneLog = defineCommand({
  path: 'log prune',
  summary: 'remove lines that are older than a date from the log',
  effect: 'local',
  calls: 'none',
  flags: beforeFlag,
  output: () => object({ lines: int(), before: string(), bytes: int() }),
  notes: [
    'Checkpoints replace the removed lines, so that `log verify` still passes. Pruning cannot be undone. Save the lines first: `cdpadm log -o ndjson --out log.ndjson`.',
  ],
  examples: ['cdpadm log prune --before 2024-01-01 --dry-run', 'cdpadm log prune --before 2024-01-01 --yes'],
  exits: { failed: 'the chain is broken, so the log is not pruned', guard: 'you answered no' },
  run: async (ctx, { flags }) => {
    const before = readBefore(flags.before);
    const log = openWriteLog(ctx);
    throwIfBroken(log.path, 'log', await log.verify());
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
    since: { value: 'time', help: 'only writes since a date, a time, or a duration ago such as 7d' },
    command: { value: 'words', help: 'only writes of a command or a group: roles, "dsr submit"' },
    limit: { value: 'count', help: 'only the newest writes' },
  },
  output: () => array(loggedWrite()),
  notes: [
    'The oldest write comes first. A bulk run is one write. A command that was killed or is still running has the outcome `unknown`.',
    '`counts` shows what was done, not what was planned. `via` is `mcp` if an assistant called the command. The log contains no secrets and no identities. `digest` is keyed: only this machine can recompute it.',
  ],
  examples: ['cdpadm log --since 7d', 'cdpadm log --command roles --limit 20 -o wide', 'cdpadm log -o ndjson'],
  below: [verifyLog, pruneLog],
  run: async (ctx, { flags }) => {
    const { command: words } = flags;
    const since = flags.since === undefined ? '' : isoMillis(readSince(flags.since, ctx.clock.now()));
    const limit = flags.limit === undefined ? undefined : readCount('--limit', flags.limit, 1_000_000);
    const log = openWriteLog(ctx);
    const found = log.entries(
      ({ at, command: own }) => at >= since && (words === undefined || `${own} `.startsWith(`${words} `)),
      limit,
    );
    await ctx.out.emit(found, log.size() > 0 ? { ...view, empty: 'The log has no such write.' } : view);
    const begins = log.begins();
    if (begins !== undefined)
      ctx.out.note(`Log size since ${begins.slice(0, 10)}: ${sizeText(log.size())}. \`log prune\` shortens it.`);
  },
});
