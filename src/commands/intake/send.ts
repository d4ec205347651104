// Shared by both intake commands: read one body, check it and send it.
import type { ZodMiniType } from 'zod/mini';
import { explain, showPath } from '../../lib/contract/explain.ts';
import { INTAKE_NAMES } from '../../lib/contract/intake.ts';
import { createWireNames, pathAsWritten } from '../../lib/contract/names.ts';
import { createIdentityTypes, userIdentityIssues } from '../../lib/domain/identity-types.ts';
import { loadDocument } from '../../lib/files/load.ts';
import { invalidInput } from '../../lib/kernel/errors.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { CommandRecord } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { type Target, workspaceOf } from '../../lib/runtime/target.ts';
import { identityTypeFlag } from '../identity-type-flag.ts';
import { acceptedResult } from '../results.ts';

export interface IntakeCall<Body extends { environment: string }> {
  schema: ZodMiniType<Body>;
  /** For the message: `a body of events`. */
  what: string;
  /** The area that gets the body. */
  scope: 'seeding' | 'identity';
  /** For the question: `2 events`. */
  subject(body: Body): string;
  describe(body: Body): Parameters<Context['out']['emitDryRun']>[0][number];
  send(body: Body): Promise<void>;
}

export interface IntakeFlags {
  file: string;
  identityType?: string[];
}

/** The shared part of both records. */
export const intakeRecord = {
  effect: 'write',
  calls: 'platform',
  flags: {
    file: { short: 'f', value: 'file', required: true, help: 'the body, JSON or YAML; - is standard input' },
    identityType: identityTypeFlag,
  },
  columns: asColumns('accepted target'),
  output: acceptedResult,
  exits: { invalidInput: 'the body is invalid; nothing was sent', guard: 'you answered no' },
  view: { kind: 'document', text: () => 'Accepted.' },
} as const satisfies Partial<CommandRecord> & { view: DocumentView<unknown> };

/** Throws KnownError invalid input (9) with the place of every issue. */
export async function sendIntake<Body extends { environment: string }>(
  ctx: Context,
  flags: IntakeFlags,
  call: IntakeCall<Body>,
): Promise<{ accepted: true; target: Target } | undefined> {
  const document = await loadDocument(flags.file, ctx);
  const settings = await ctx.settings();
  const names = createWireNames(settings.names);
  const body = names.decode(document.value, INTAKE_NAMES);
  const identities = (body as { user_identities?: unknown } | null)?.user_identities;
  const types = createIdentityTypes(settings.names, flags.identityType ?? []);
  const issues = [...explain(call.schema, body), ...userIdentityIssues(identities, 'user_identities', types)];
  if (issues.length > 0) {
    const places = issues.map(({ path, message, at }) => {
      const written = pathAsWritten(document.value, path, names);
      return { file: document.name, path: showPath(written), ...document.locate(written, at), message };
    });
    throw invalidInput(`${document.name} is not ${call.what}.`, places);
  }
  const target = await ctx.startWrite(call.scope);
  if (ctx.flags.dryRun) {
    return await ctx.out.emitDryRun([call.describe(body as Body)]);
  }
  await ctx.confirmWrite(`Send ${call.subject(body as Body)} to ${workspaceOf(target, [(body as Body).environment])}?`);
  await call.send(body as Body);
  return { accepted: true, target };
}
