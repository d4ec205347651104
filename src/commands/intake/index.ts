// `intake event` and `identify`: read, check and send the body of a request for one user.
import { defineCommand, group } from '../../lib/runtime/command-line/define-command.ts';
import type * as z from 'zod/mini';
import { explain } from '../../lib/contract/explain.ts';
import { INTAKE_NAMES, EventIntake, IdentityIntake } from '../../lib/contract/intake.ts';
import { createWireNames, pathAsWritten } from '../../lib/contract/names.ts';
import { createIdentityTypes, userIdentityIssues } from '../../lib/domain/identity-types.ts';
import { invalidDocument, loadDocument } from '../../lib/files/load.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { workspaceOf } from '../../lib/runtime/target.ts';
import { oneUserRecord, warnOfIdentities } from '../one-user.ts';
import { counted } from '../../lib/kernel/words.ts';

/** `what` and `subject` are noun phrases for the message and the question: `body with events`, `2 events`. */
interface IntakeCall<Body extends { environment: string }> {
  schema: z.ZodMiniType<Body>;
  what: string;
  scope: 'seeding' | 'identity';
  subject(body: Body): string;
  describe(body: Body): Parameters<Context['out']['emitDryRun']>[0][number];
  send(body: Body, signal: AbortSignal): Promise<void>;
}

/** Throws KnownError invalid input (9) with the position of every issue. */
async function sendIntake<Body extends { environment: string }>(
  ctx: Context,
  flags: { file: string; identityType?: string[] },
  call: IntakeCall<Body>,
) {
  const document = await loadDocument(flags.file, ctx);
  const settings = await ctx.settings();
  const names = createWireNames(settings.names);
  const body = names.decode(document.value, INTAKE_NAMES);
  const identities = (body as { user_identities?: unknown } | null)?.user_identities;
  const types = createIdentityTypes(settings.names, flags.identityType ?? []);
  const issues = [...explain(call.schema, body), ...userIdentityIssues(identities, 'user_identities', types)];
  if (issues.length > 0) {
    const written = issues.map((issue) => ({ ...issue, path: pathAsWritten(document.value, issue.path, names) }));
    throw invalidDocument(document, call.what, written);
  }
  warnOfIdentities(ctx, document, identities, 'user_identities', names);
  const target = await ctx.startWrite(call.scope);
  if (ctx.flags.dryRun) return await ctx.out.emitDryRun([call.describe(body as Body)]);
  await ctx.confirmWrite(`Send ${call.subject(body as Body)} to ${workspaceOf(target, [(body as Body).environment])}?`);
  await call.send(body as Body, ctx.signal);
  return { accepted: true as const, target };
}

const sendEvents = defineCommand({
  ...oneUserRecord,
  path: 'intake event',
  summary: "send one user's events",
  notes: ['If the response is lost, the events are not sent again, and the command exits with 8.'],
  examples: ['cdpadm intake event -f event.json --yes', 'cdpadm intake event -f event.json --dry-run'],
  run: async (ctx, { flags }) =>
    await sendIntake(ctx, flags, {
      schema: EventIntake,
      scope: 'seeding',
      what: 'body with events',
      subject: ({ events = [] }) => `${counted(events.length, 'event')} of 1 user`,
      ...(await ctx.api()).intake.event,
    }),
});

const identifyUser = defineCommand({
  ...oneUserRecord,
  path: 'intake identify',
  summary: "send one user's identities and attributes",
  examples: ['cdpadm intake identify -f user.json --yes', 'cdpadm intake identify -f user.json --dry-run -o json'],
  run: async (ctx, { flags }) =>
    await sendIntake(ctx, flags, {
      schema: IdentityIntake,
      scope: 'identity',
      what: 'body with identities and attributes',
      subject: () => 'identities and attributes of 1 user',
      ...(await ctx.api()).intake.identify,
    }),
});

export const command = group('intake', "one user's events, or identities and attributes", [sendEvents, identifyUser]);
