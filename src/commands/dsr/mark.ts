// `dsr mark`: records in the ledger that the subject was answered, or that the deadline was extended.
import * as z from 'zod/mini';
import { daysLate, deadlineFrom, exceededLimit } from '../../lib/domain/dsr/deadlines.ts';
import type { LedgerRequest } from '../../lib/domain/dsr/ledger.ts';
import { foldEvent } from '../../lib/domain/dsr/ledger-fold.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { isoMillis, isoSeconds, parseIso } from '../../lib/kernel/timestamps.ts';
import { counted } from '../../lib/kernel/words.ts';
import { fields } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { readTime } from '../flag-values.ts';
import { each } from '../results.ts';
import { notInLedger, openDsrMemory, requestIds, pickRequest } from './session.ts';

export const markRequests = defineCommand({
  path: 'dsr mark',
  summary: 'mark requests as answered, or extend their deadline',
  effect: 'local',
  calls: 'settings',
  args: { id: { many: true, help: 'request ids', pick: pickRequest } },
  flags: {
    answered: { help: 'record that the subject has received the answer' },
    unanswered: { help: 'undo --answered' },
    extended: { value: 'date', help: 'new deadline (date or time); requires --reason' },
    reason: { value: 'text', help: 'reason for the mark' },
  },
  output: () =>
    z.array(
      z.object({
        subject_request_id: z.string(),
        answered: z.nullable(z.boolean()),
        ...each(z.nullable(z.string()), 'extended', 'reason', 'deadline'),
      }),
    ),
  notes: [
    'The mark is an entry in the ledger, with your name, this machine and the time. The command sends nothing to the platform, so it also works with a profile that has `access: read`.',
    'An erasure cannot be marked as answered: it counts as due until it is completed or cancelled.',
    'GDPR allows an extension of two months, and CCPA one of 45 days; a longer extension requires confirmation (--yes). Notify the subject before the deadline passes: an extension that is recorded later does not count.',
  ],
  examples: [
    'cdpadm dsr mark 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --answered --dry-run',
    'cdpadm dsr mark 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --extended 2027-03-01 --reason "many systems" --dry-run',
  ],
  exits: { notFound: 'the request is not in the ledger on this machine', guard: 'you answered no' },
  run: async (ctx, { args, flags }) => {
    const ids = requestIds(args.id);
    checkFlags(flags);
    const { answered, extended: text, reason, unanswered } = flags;
    const until = text === undefined ? undefined : parseIso(readTime('--extended', text, '23:59:59'));
    const extended = until === undefined ? undefined : isoSeconds(until);
    const { ledger } = await openDsrMemory(ctx);
    const known = await ledger.find(ids);
    const at = isoMillis(ctx.clock.now());
    const facts = {
      at,
      ...((answered ?? unanswered) !== undefined && { answered: answered === true }),
      ...(extended !== undefined && { extended }),
      ...(reason !== undefined && { reason }),
    };
    let tooLong = 0;
    const data = ids.map((id) => {
      const request = known.get(id);
      if (request === undefined) throw notInLedger(id, 'Mark a request on the machine that submitted it.');
      if (answered === true && request.subject_request_type === 'erasure')
        throw usageError(
          `Request ${id} is an erasure, which cannot be marked as answered.`,
          'An erasure counts as due until it is completed or cancelled.',
        );
      if (extended !== undefined && isTooLong(ctx, request, extended)) tooLong++;
      const marked = foldEvent(request, { event: 'marked', id, ...facts }) ?? request;
      return {
        subject_request_id: id,
        answered: request.subject_request_type === 'erasure' ? null : marked.answered === true,
        extended: extended ?? null,
        reason: reason ?? null,
        deadline: marked.deadline ?? null,
      };
    });
    if (ctx.flags.dryRun) {
      const these = ids.length === 1 ? 'This request' : 'These requests';
      return await ctx.out.emitDryRun([], data, `${these} would be marked.`);
    }
    if (tooLong > 0) await ctx.prompt.confirm('Record an extension that the law does not allow?');
    await ledger.record(ids.map((id) => ({ event: 'marked', id, ...facts })));
    return data;
  },
  view: {
    kind: 'list',
    columns: [
      { key: 'subject_request_id', title: 'id', id: true, value: (it) => it.subject_request_id },
      ...fields('answered', 'deadline', 'reason'),
    ],
    empty: '',
  },
});

function checkFlags({ answered, extended, reason, unanswered }: Record<string, unknown>): void {
  if (answered !== undefined && unanswered !== undefined)
    throw usageError('Pass --answered or --unanswered, not both.');
  if ((answered ?? unanswered ?? extended) === undefined)
    throw usageError('Pass --answered, or --extended DATE --reason TEXT.');
  if (extended !== undefined && !(reason as string | undefined)?.trim())
    throw usageError('--extended requires --reason TEXT.');
}

/** Warns, and returns true beyond the legal limit (decision: D272). Throws usage (2) if the date is too early. */
function isTooLong(ctx: Context, request: LedgerRequest, extended: string): boolean {
  const { deadline, regulation, submitted_time: submitted } = request;
  const late = daysLate(parseIso(deadline) ?? Infinity, ctx.clock.now());
  if (late > 0)
    ctx.out.warn(
      `The deadline of request ${request.id} (${deadline}) passed ${counted(late, 'day')} ago. The extension is recorded but does not count: the request stays late.`,
    );
  const legal = deadlineFrom(regulation, submitted);
  if (legal === undefined) return false;
  const until = parseIso(extended) ?? 0;
  if (until <= legal) throw usageError(`--extended must be after the deadline of ${request.id}, ${isoSeconds(legal)}.`);
  const lastDay = exceededLimit(request, extended);
  if (lastDay === undefined) return false;
  ctx.out.warn(
    `${(regulation ?? '').toUpperCase()} allows an extension until ${lastDay} at the latest (request ${request.id}).`,
  );
  return true;
}
