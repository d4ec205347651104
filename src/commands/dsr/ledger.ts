// `dsr ledger export|verify|prune`: the record of all requests submitted from this machine.
import * as z from 'zod/mini';
import { historyOf } from '../../lib/domain/dsr/evidence.ts';
import { identitiesText, LedgerRequest } from '../../lib/domain/dsr/ledger.ts';
import { answeredAt } from '../../lib/domain/dsr/outcome.ts';
import { counted } from '../../lib/kernel/words.ts';
import { fields, type ListView, ranked } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { chainCommand, emitChain, findBroken } from '../chain-report.ts';
import { beforeFlag, readBefore } from '../flag-values.ts';
import { openLedgerOf } from './session.ts';

function exportedRequest() {
  return z.extend(LedgerRequest, {
    deadline: z.nullable(z.string()),
    /** Time when the subject received the answer, if it is recorded on this machine. */
    answered_at: z.nullable(z.string()),
  });
}

type ExportedRequest = z.infer<ReturnType<typeof exportedRequest>>;

const exportView: ListView<ExportedRequest> = {
  kind: 'list',
  columns: [
    { key: 'id', id: true, value: (it) => it.id },
    { key: 'at', title: 'sent', value: (it) => it.at },
    ...ranked({ by: 0, host: 7, profile: 0, address: 5, workspace_id: 4, regulation: 0 }),
    { key: 'subject_request_type', title: 'type', value: (it) => it.subject_request_type },
    ...ranked({ submitted_time: 2, deadline: 0, status: 0, answered_at: 1 }),
    { key: 'states', value: (it) => it.states.map(({ at, status }) => `${status} ${at}`).join('; '), rank: 6 },
    ...ranked({ group_id: 3, skip_waiting_period: 8 }),
    { key: 'identities', value: (request) => identitiesText(request), rank: 9 },
    { key: 'history', value: historyText, rank: 10 },
    { key: 'signatures', value: signaturesText, rank: 11 },
  ],
  empty: 'Nothing was submitted from this machine.',
};

function historyText(request: LedgerRequest): string {
  const lines = historyOf(request).map(({ at, by, what }) => `${at} ${what}${by === '' ? '' : `, by ${by}`}`);
  return lines.join('; ');
}

function signaturesText({ signatures = [] }: LedgerRequest): string {
  const signer = (certificate: string | null): string => (certificate === null ? '' : ` (certificate ${certificate})`);
  const verdict = (valid: boolean, failed = ''): string => (valid ? 'valid' : `NOT VALID: ${failed}`);
  return signatures.map((it) => `${it.at} ${verdict(it.valid, it.failed)}${signer(it.certificate)}`).join('; ');
}

export const exportLedger = defineCommand({
  path: 'dsr ledger export',
  summary: 'export every request with its history',
  effect: 'local',
  calls: 'none',
  columns: exportView.columns,
  output: () => z.array(exportedRequest()),
  notes: [
    'The ledger covers all profiles on this machine. Keyed hashes replace identities: the same identity has the same hash on this machine, and a hash cannot be reversed without the key.',
    'In CSV, a cell that a spreadsheet would run as a formula gets a leading apostrophe.',
  ],
  exits: { failed: 'the ledger was changed outside of this program; the requests are printed' },
  examples: ['cdpadm dsr ledger export -o csv --out ledger.csv', 'cdpadm dsr ledger export -o json'],
  run: async (ctx) => {
    const ledger = await openLedgerOf(ctx);
    await ctx.out.emitParts(exported(ledger.all()), exportView);
    const broken = await findBroken(ctx, ledger, 'ledger');
    if (broken) throw broken;
  },
});

async function* exported(parts: AsyncIterable<LedgerRequest[]>): AsyncGenerator<ExportedRequest[]> {
  for await (const entries of parts) {
    yield entries.map((entry) => ({ ...entry, deadline: entry.deadline ?? null, answered_at: answeredAt(entry) }));
  }
}

export const verifyLedger = defineCommand({
  path: 'dsr ledger verify',
  summary: 'check that no line of the ledger was changed or removed',
  ...chainCommand,
  notes: [
    'Each line has a number, and a hash that covers the line and the hash of the previous line. The command lists changed, missing and added lines.',
    'The chain reveals later edits, but cannot detect that the whole ledger was rewritten: record the head elsewhere, and compare it with --head.',
  ],
  examples: ['cdpadm dsr ledger verify', 'cdpadm dsr ledger verify -o json'],
  run: async (ctx, { flags }) => emitChain(ctx, await openLedgerOf(ctx), 'ledger', flags.head),
});

const MOST_PRUNED = 20;

function prunedText({ ids, kept_in: folders }: { ids: readonly string[]; kept_in: readonly string[] }): string {
  const more = ids.length - MOST_PRUNED;
  const lines = [
    ...ids.slice(0, MOST_PRUNED).map((id) => `  ${id}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(folders.length > 0 ? [`Kept messages of these requests remain in ${folders.join(', ')}.`] : []),
  ];
  return lines.map((line) => `\n${line}`).join('');
}

export const pruneLedger = defineCommand({
  path: 'dsr ledger prune',
  summary: 'remove requests whose last entry is older than a date',
  effect: 'local',
  calls: 'none',
  flags: beforeFlag,
  output: () =>
    z.object({
      ...{ requests: z.int(), entries: z.int(), before: z.string(), head: z.string() },
      ids: z.array(z.string()),
      /** Folders with kept messages of these requests. */
      kept_in: z.array(z.string()),
    }),
  notes: [
    'Due requests are always kept. Checkpoints replace the removed lines, so that `dsr ledger verify` still passes. A final line records who pruned the ledger and how many lines were removed.',
    'Pruning cannot be undone. Run `dsr ledger export` or `dsr evidence` first.',
  ],
  examples: [
    'cdpadm dsr ledger prune --before 2024-01-01 --dry-run',
    'cdpadm dsr ledger prune --before 2024-01-01 --yes',
  ],
  exits: { failed: 'the chain is broken, so the ledger is not pruned', guard: 'you answered no' },
  run: async (ctx, { flags }) => {
    const before = readBefore(flags.before);
    const ledger = await openLedgerOf(ctx);
    const broken = await findBroken(ctx, ledger, 'ledger');
    if (broken) throw broken;
    const found = await ledger.prune(before, true);
    const what = `${counted(found.requests, 'request')} (${counted(found.entries, 'line')}) of the ledger`;
    const list = prunedText(found);
    if (ctx.flags.dryRun) return await ctx.out.emitDryRun([], { ...found, before }, `${what} would be removed.${list}`);
    if (found.requests > 0) {
      ctx.out.show(() => `${what}:${list}`);
      await ctx.prompt.confirm(`Remove ${what}? This cannot be undone.`);
    }
    const removed = found.requests === 0 ? found : await ledger.prune(before, false);
    const { tip } = await ledger.verify();
    return { ...removed, before, head: tip.hash };
  },
  view: {
    kind: 'record',
    columns: [...fields('requests', 'entries', 'before'), { key: 'head', id: true, value: (it) => it.head }],
  },
});
