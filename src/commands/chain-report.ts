// Result of checking the hash chain of the ledger or the log.
import * as z from 'zod/mini';
import { fail } from '../lib/errors/fail.ts';
import { type KnownError, usageError } from '../lib/kernel/errors.ts';
import { chainFacts, type ChainReport } from '../lib/kernel/hash-chain.ts';
import { asSentence, counted } from '../lib/kernel/words.ts';
import { fields, type RecordView } from '../lib/render/view.ts';
import type { Context } from '../lib/runtime/context.ts';

function chainResult() {
  return z.object({
    valid: z.boolean(),
    entries: z.int(),
    head: z.string(),
    pruned: z.int(),
    /** Incomplete lines and, in the log, unfinished writes: the process was killed or is still running. */
    unfinished: z.int(),
    adopted: z.nullable(z.object({ entries: z.int(), at: z.string() })),
    unchained: z.int(),
    notes: z.array(z.string()),
    faults: z.array(
      z.object({
        line: z.nullable(z.int()),
        entry: z.nullable(z.int()),
        kind: z.enum(['changed', 'missing', 'added']),
        message: z.string(),
        /** Rotated file that contains the line, if the line is not in `file`. */
        file: z.optional(z.string()),
      }),
    ),
    faults_omitted: z.int(),
    file: z.string(),
  });
}

const chainView: RecordView<z.infer<ReturnType<typeof chainResult>>> = {
  kind: 'record',
  columns: [
    { key: 'valid', value: (it) => it.valid, paint: (text, it, style) => (it.valid ? style.green : style.red)(text) },
    { key: 'entries', value: (it) => it.entries },
    { key: 'head', id: true, value: (it) => it.head },
    ...fields('pruned', 'unfinished'),
    { key: 'adopted', title: 'chained later', value: ({ adopted }) => adopted && `${adopted.entries}, ${adopted.at}` },
    { key: 'unchained', title: 'not chained yet', value: (it) => it.unchained },
    { key: 'faults', value: (it) => it.faults.length + it.faults_omitted },
    { key: 'file', value: (it) => it.file },
  ],
};

function headOf(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw usageError(`--head must be 64 hexadecimal digits, not \`${text}\`.`);
}

interface CheckedFile {
  path: string;
  verify(head?: string): Promise<ChainReport>;
}

type Name = 'ledger' | 'log';

/** What `dsr ledger verify` and `log verify` have in common. */
export const chainCommand = {
  effect: 'local',
  tool: [],
  calls: 'none',
  flags: { head: { value: 'hash', read: headOf, help: 'previously recorded head that the chain must contain' } },
  columns: chainView.columns,
  output: chainResult,
  exits: { failed: 'a line was changed, removed or added, or --head is not in the chain' },
} as const;

/** Prints the report. Throws failed (1) with the line of each fault. */
export async function emitChain(ctx: Context, { path, verify }: CheckedFile, name: Name, head?: string): Promise<void> {
  const report = await verify(head).finally(ctx.out.waits({ text: `Reading the ${name}` }));
  const { faults, notes, omitted, tip, unchained } = report;
  if (unchained > 0)
    ctx.out.warn(
      `Not chained yet: ${counted(unchained, 'line')} from an earlier version. Changes to these lines cannot be detected.`,
    );
  else if (tip.entry === 0 && faults.length === 0)
    ctx.out.warn(`The ${name} on this machine is empty: ${path} has no entries.`);
  for (const note of notes) ctx.out.warn(asSentence(note));
  await ctx.out.emit({ ...chainFacts(report), faults, faults_omitted: omitted, file: path }, chainView);
  const broken = brokenChain(path, name, report);
  if (broken) throw broken;
  // The check passes only if the chain is known to contain the head.
  if (!report.hasHash) ctx.setExit('failed');
}

/** Returns the error failed (1) if the chain is broken. Commands print their output before they throw it. */
export async function findBroken(ctx: Context, { path, verify }: CheckedFile, name: Name) {
  return brokenChain(path, name, await verify().finally(ctx.out.waits({ text: `Checking the ${name}` })));
}

export function brokenChain(path: string, name: Name, { faults, omitted }: ChainReport): KnownError | undefined {
  if (faults.length === 0) return undefined;
  return fail(name === 'log' ? 'log.broken' : 'ledger.broken', {
    message: `The ${name} was changed outside of this program: ${counted(faults.length + omitted, 'fault')}.`,
    hint: 'Compare it with a backup. Lines without a fault are unchanged.',
    issues: faults.map(({ file = path, line, message }) => ({
      path: '',
      message,
      ...(line !== null && { file, line, column: 1 }),
    })),
    issuesOmitted: omitted,
  });
}
