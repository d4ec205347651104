// `dsr submit` for one request: shows it, asks for confirmation, sends it, and reports the response.
import * as z from 'zod/mini';
import { deadlineFrom, isoOrNull } from '../../lib/domain/dsr/deadlines.ts';
import { identitiesOf } from '../../lib/domain/dsr/normalize.ts';
import type { DsrRequest } from '../../lib/contract/dsr.ts';
import { fail } from '../../lib/errors/fail.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { maskRequest, renderRequest } from '../../lib/render/dsr-request.ts';
import type { Style } from '../../lib/render/style.ts';
import type { RecordView } from '../../lib/render/view.ts';
import type { FlagSpec, FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import {
  duplicateText,
  type EarlierRequest,
  readRecent,
  readUnanswered,
  submitRequest,
  submittedEvent,
} from '../../lib/workflows/dsr-submit.ts';
import { duplicateFlags, readDuplicateWindow } from './bulk-flags.ts';
import { each, type WithTarget, workspaceTarget } from '../results.ts';
import type { VerifyMessage } from '../../lib/workflows/dsr-ports.ts';
import { openReplyKeep } from './callbacks-keep.ts';
import { openQuestions } from './questions.ts';
import { answerVerifier, openSubmit, type SubmitSession } from './session.ts';
import {
  givenFlags,
  type GivenRequest,
  partsOf,
  requestFlags,
  requestFromFile,
  requestFromParts,
} from './submit-input.ts';
import { waitAndShow } from './status.ts';

export const oneFlags = {
  ...requestFlags,
  file: {
    short: 'f',
    value: 'file',
    help: 'request body as JSON or YAML (versions 1 and 2 are upgraded); - reads standard input',
  },
  keep: {
    value: 'dir',
    writes: true,
    help: 'save the signed response, which contains identities, for `dsr evidence`',
  },
  wait: { help: 'wait until the request is completed' },
  ...duplicateFlags,
  showIdentities: { help: 'do not mask the identities' },
} as const satisfies Record<string, FlagSpec>;

export type OneFlags = FlagValues<typeof oneFlags>;

export function submittedResult() {
  return z.object({
    subject_request_id: z.string(),
    controller_id: z.nullable(z.string()),
    request_status: z.string(),
    ...each(z.nullable(z.string()), 'received_time', 'expected_completion_time', 'deadline'),
    /** Null if the signature could not be checked. */
    signature_valid: z.nullable(z.boolean()),
    target: workspaceTarget(),
  });
}

type SubmitResult = WithTarget<typeof submittedResult>;

export const submitView: RecordView<SubmitResult> = {
  kind: 'record',
  columns: [
    { key: 'subject_request_id', title: 'id', id: true, value: (it) => it.subject_request_id },
    { key: 'request_status', title: 'status', value: (it) => it.request_status },
    { key: 'received_time', title: 'received', value: (it) => it.received_time },
    { key: 'expected_completion_time', title: 'expected', value: (it) => it.expected_completion_time },
    { key: 'deadline', value: (it) => it.deadline },
    { key: 'signature_valid', title: 'signature', value: (it) => SIGNATURE[String(it.signature_valid)] },
  ],
};

const SIGNATURE: Record<string, string> = { true: 'valid', false: 'NOT VALID', null: 'not checked' };

export async function submitOne(ctx: Context, flags: OneFlags): Promise<void> {
  readDuplicateWindow(flags);
  const session = await openSubmit(ctx);
  const { canGoBack, read } = await openRequest(ctx, session, flags);
  while (!(await submitGiven(ctx, session, flags, await read(), canGoBack)));
}

/** Submits the request. Returns false if the user goes back to the questions. */
async function submitGiven(
  ctx: Context,
  session: SubmitSession,
  flags: OneFlags,
  { changes, isNewId, request, warnings }: GivenRequest,
  canGoBack: boolean,
): Promise<boolean> {
  const showIdentities = flags.showIdentities === true;
  if (!showIdentities) for (const [, value] of identitiesOf(request)) ctx.redactor.hide(value);
  for (const change of changes) ctx.out.warn(`Upgraded to version 3: ${change}`);
  for (const { message } of warnings) ctx.out.warn(`The request ${message}.`);
  const shown = { request, showIdentities, now: ctx.clock.now() };
  const draw = (style: Style, width: number): string => renderRequest(shown, style, width);
  const visible = showIdentities ? request : maskRequest(request);
  const target = await ctx.startWrite('dsr');
  const { dryRun } = ctx.flags;
  // With --curl, `create` prints a curl command instead of sending the request. The ledger stays unchanged.
  if (ctx.flags.curl && !dryRun) await session.api.create(visible);
  if (!dryRun) ctx.out.show(draw);
  if (!dryRun && !showIdentities && ctx.prompt.possible && !ctx.flags.yes)
    ctx.out.note('The identities are masked. To see them, pass --show-identities.');
  // A dry run creates no ledger.
  const hasLedger = !dryRun || (await session.ledger.newest(1)).requests.length > 0;
  const checkAgain = hasLedger ? await checkPeople(ctx, session, request, flags) : undefined;
  if (dryRun) {
    await ctx.out.emitDryRun([session.api.describeCreate(visible)], undefined, draw, [request.subject_request_id]);
    return true;
  }
  if (!(await ctx.confirmWrite(`Submit this ${request.subject_request_type} request?`, { canGoBack }))) return false;
  const keep = openReplyKeep(ctx, flags.keep, session.ledger);
  const verifyAnswer = answerVerifier(ctx);
  const verify: VerifyMessage = async (headers, body) => {
    await keep(request.subject_request_id, Object.fromEntries(headers), body.toString());
    return await verifyAnswer(headers, body);
  };
  const id = request.subject_request_id;
  ctx.logFacts({ ids: [id], undo: [['dsr', 'cancel', id]] });
  const given = { ...session, isNewId, verify, checkAgain };
  const { submitted_time = request.submitted_time, verdict, ...result } = await submitRequest(request, given);
  const deadline = isoOrNull(deadlineFrom(request.regulation, submitted_time));
  const failed = verdict?.checks.find(({ ok }) => !ok);
  if (failed) {
    ctx.out.warn({
      text: `Request ${id} was submitted, but its response has no valid signature (${failed.name}: ${failed.detail}). Check the address, then the request:`,
      command: `cdpadm dsr status ${id}`,
    });
    ctx.setExit('failed');
  }
  if (flags.wait) {
    ctx.out.note(`Request ${id} was submitted.`);
    await waitAndShow(ctx, session, [id], { until: 'completed', isNew: true });
    return true;
  }
  const facts = { deadline, target, signature_valid: verdict?.valid ?? null };
  await ctx.out.emit<SubmitResult>({ ...result, ...facts }, submitView);
  ctx.out.note({ text: 'To watch it:', command: `cdpadm dsr status ${id} --watch` });
  return true;
}

/** Warns about a due request, rejects a duplicate, and returns a second check for just before the ledger is written. */
async function checkPeople(ctx: Context, session: SubmitSession, request: DsrRequest, flags: OneFlags) {
  const windowMs = readDuplicateWindow(flags);
  const now = ctx.clock.now();
  const news = await submittedEvent(request, session.submitter, session.ledger, now);
  for (const { id, subject_request_type: type = '' } of (await readUnanswered(session.ledger, news))?.(news) ?? [])
    ctx.out.warn({
      text: `The ${type} request ${id} for the same person is still due and needs the data that the erasure will delete. To check that request:`,
      command: `cdpadm dsr status ${id}`,
    });
  if (flags.allowDuplicates === true) return undefined;
  const find = async (isQuick: boolean) =>
    await (
      await readRecent(session, { from: now - windowMs, to: Infinity }, news)
    )?.(news, isQuick);
  const known = await find(false);
  if (known) await rejectDuplicate(ctx, known);
  return async (): Promise<void> => {
    const before = await find(true);
    if (before && before.id !== known?.id) throw duplicate(before);
  };
}

/** On a terminal, asks whether to submit anyway (a dry run only warns). Otherwise, or with --yes, throws guard (12). */
async function rejectDuplicate(ctx: Context, before: EarlierRequest): Promise<void> {
  if (ctx.prompt.possible && !ctx.flags.yes) {
    ctx.out.warn(`${duplicateText(before)}.`);
    if (ctx.flags.dryRun) return;
    if (await ctx.prompt.ask('Submit another request anyway?', false)) return;
  }
  throw duplicate(before);
}

function duplicate(before: EarlierRequest): Error {
  const { id, status } = before;
  const again = `To send that request again, pass --request-id ${id}: this cannot create a second request.`;
  return fail('dsr.duplicate', {
    message: `${duplicateText(before)}. Nothing was sent.`,
    hint: [
      { text: 'To check the earlier request:', command: `cdpadm dsr status ${id}` },
      ...(status === undefined ? [again] : []),
      'To submit another request, pass --allow-duplicates.',
    ],
  });
}

/** Returns the source of the request. On a terminal, its `read` asks for missing parts, and can be called again. */
async function openRequest(ctx: Context, session: SubmitSession, flags: OneFlags) {
  const { file } = flags;
  if (file !== undefined) {
    const given = givenFlags(flags);
    if (given.length > 0) throw usageError(`--file contains the whole request: remove ${given.join(', ')}.`);
    return { canGoBack: false, read: () => requestFromFile(ctx, file, session.normalize) };
  }
  const parts = await partsOf(ctx, flags, session.normalize);
  const ask = openQuestions(ctx, session, parts, flags.showIdentities === true);
  const read = async () => requestFromParts(ctx, (await ask?.()) ?? parts, session.normalize);
  return { canGoBack: ask !== undefined, read };
}
