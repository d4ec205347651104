// `dsr ledger prune`: removes old requests from the ledger; checkpoints keep the chain whole.
import { type infer as Infer, int, object, string } from 'zod/mini';
import { isPhaseDue, phaseAfter } from '../../lib/domain/dsr/ledger.ts';
import { counted } from '../../lib/kernel/words.ts';
import type { RecordView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { beforeFlag, readBefore } from '../flag-values.ts';
import { throwIfBroken } from '../chain-report.ts';
import { openLedgerOf } from './session.ts';

function prunedResult() {
  return object({ requests: int(), entries: int(), before: string(), head: string() });
}

const view: RecordView<Infer<ReturnType<typeof prunedResult>>> = {
  kind: 'record',
  columns: [
    { key: 'requests', value: (it) => it.requests },
    { key: 'entries', value: (it) => it.entries },
    { key: 'before', value: (it) => it.before },
    { key: 'head', id: true, value: (it) => it.head },
  ],
};

export const pruneLedger = defineCommand({
  path: 'dsr ledger prune',
  summary: 'remove requests whose last entry is older than a date',
  effect: 'local',
  calls: 'nobody',
  flags: beforeFlag,
  columns: view.columns,
  output: prunedResult,
  notes: [
    'Due requests are always kept. Checkpoints replace the removed lines, so that `dsr ledger verify` still passes. A final line records who pruned the ledger and how many lines were removed.',
    'Pruning cannot be undone. Run `dsr ledger export` or `dsr evidence` first.',
  ],
  examples: [
    'cdpadm dsr ledger prune --before 2024-01-01 --dry-run',
    'cdpadm dsr ledger prune --before 2024-01-01 --yes',
  ],
  exits: { failed: 'the chain is broken, so the ledger is not pruned', guard: 'you answered no' },
  run: (ctx, { flags }) => prune(ctx, readBefore(flags.before)),
});

async function prune(ctx: Context, before: string): Promise<void> {
  const ledger = await openLedgerOf(ctx);
  const rules = { before, phase: phaseAfter, isOpen: isPhaseDue };
  const end = ctx.out.waits({ text: 'Reading the ledger' });
  const report = await ledger.verify().finally(end);
  throwIfBroken(ledger.path, 'ledger', report);
  const found = await ledger.prune(rules, true);
  const what = `${counted(found.requests, 'request')} (${counted(found.entries, 'line')}) of the ledger`;
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([], { ...found, before }, () => `${what} would be removed.`);
    return;
  }
  if (found.requests > 0) await ctx.prompt.confirm(`Remove ${what}? This cannot be undone.`);
  const removed = found.requests === 0 ? found : await ledger.prune(rules, false);
  const { tip } = await ledger.verify();
  await ctx.out.emit({ ...removed, before, head: tip.hash }, view);
}
