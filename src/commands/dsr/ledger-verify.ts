// `dsr ledger verify`: whether the hash chain of the ledger is whole.
import { array, boolean, enum as oneOf, type infer as Infer, int, nullable, object, string } from 'zod/mini';
import { fail } from '../../lib/errors/fail.ts';
import { counted } from '../../lib/kernel/words.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import type { ChainReport } from '../../lib/kernel/hash-chain.ts';
import type { RecordView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { openLedgerOf } from './session.ts';

function verifiedResult() {
  return object({
    valid: boolean(),
    /** Number of the last entry. */
    entries: int(),
    /** Hash of the last entry. */
    head: string(),
    pruned: int(),
    /** Lines that a killed process left unfinished. */
    unfinished: int(),
    /** Entries of a version without a chain, and when they were chained. */
    adopted: nullable(object({ entries: int(), at: string() })),
    faults: array(
      object({
        line: nullable(int()),
        entry: nullable(int()),
        kind: oneOf(['changed', 'missing', 'added']),
        message: string(),
      }),
    ),
    faults_omitted: int(),
    file: string(),
  });
}

type Verified = Infer<ReturnType<typeof verifiedResult>>;

const view: RecordView<Verified> = {
  kind: 'record',
  columns: [
    { key: 'valid', value: (it) => it.valid, paint: (text, it, style) => (it.valid ? style.green : style.red)(text) },
    { key: 'entries', value: (it) => it.entries },
    { key: 'head', id: true, value: (it) => it.head },
    { key: 'pruned', value: (it) => it.pruned },
    { key: 'unfinished', value: (it) => it.unfinished },
    { key: 'adopted', title: 'chained later', value: ({ adopted }) => adopted && `${adopted.entries}, ${adopted.at}` },
    { key: 'faults', value: (it) => it.faults.length + it.faults_omitted },
    { key: 'file', value: (it) => it.file },
  ],
};

export const verifyLedger = defineCommand({
  path: 'dsr ledger verify',
  summary: 'check that no line of the ledger was changed or removed',
  effect: 'local',
  calls: 'nobody',
  flags: { head: { value: 'hash', help: 'head noted earlier, which the chain must contain' } },
  columns: view.columns,
  output: verifiedResult,
  notes: [
    'Each line has a number, and a hash over itself and the line before it. The command names each changed, missing or added line.',
    'The chain shows later edits. It does not show a ledger that was rewritten as a whole: note the head elsewhere, and compare it with --head.',
  ],
  examples: ['cdpadm dsr ledger verify', 'cdpadm dsr ledger verify -o json'],
  exits: { failed: 'a line was changed, removed or added, or --head is not in the chain' },
  run: (ctx, { flags }) => verify(ctx, flags.head),
});

async function verify(ctx: Context, head: string | undefined): Promise<void> {
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head)) {
    throw usageError(`--head takes 64 hexadecimal digits, not \`${head}\`.`);
  }
  const ledger = await openLedgerOf(ctx);
  const end = ctx.out.waits({ text: 'Reading the ledger' });
  const { adopted, faults, omitted, pruned, tip, unfinished } = await ledger.verify(head).finally(end);
  const verified = {
    valid: faults.length === 0,
    entries: tip.entry,
    head: tip.hash,
    pruned,
    unfinished,
    adopted: adopted ?? null,
    faults,
    faults_omitted: omitted,
    file: ledger.path,
  };
  await ctx.out.emit(verified, view);
  if (!verified.valid) throw brokenLedger(ledger.path, { faults, omitted });
}

/** The faults of a chain as an error (1), each with its line. */
export function brokenLedger(path: string, { faults, omitted }: Pick<ChainReport, 'faults' | 'omitted'>): Error {
  return fail('ledger.broken', {
    message: `The ledger was changed outside of this program: ${counted(faults.length + omitted, 'fault')}.`,
    hint: 'Compare it with a backup. Lines without a fault are unchanged.',
    issues: faults.map(({ line, message }) => ({
      path: '',
      message,
      ...(line !== null && { file: path, line, column: 1 }),
    })),
    issuesOmitted: omitted,
  });
}
