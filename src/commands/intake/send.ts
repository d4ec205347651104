// What both intake commands do: read one body, check it, send it.
import type { ZodMiniType } from 'zod/mini';
import { explain, showPath } from '../../lib/contract/explain.ts';
import { INTAKE_NAMES } from '../../lib/contract/intake.ts';
import { createWireNames, pathAsWritten } from '../../lib/contract/names.ts';
import { loadDocument } from '../../lib/files/load.ts';
import { invalidInput } from '../../lib/kernel/errors.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';

const view: DocumentView<{ accepted: true }> = { kind: 'document', text: () => 'Accepted.' };

export interface IntakeCall<Body> {
  schema: ZodMiniType<Body>;
  /** For the message: `no body of events`. */
  what: string;
  /** The setting that the body goes to. */
  address: 'seeding_url' | 'identity_url';
  describe(body: Body): Parameters<Context['out']['emitDryRun']>[0][number];
  send(body: Body): Promise<void>;
}

/** Throws CliError invalid input (9) with the place of everything that is wrong. */
export async function sendIntake<Body>(ctx: Context, file: string, call: IntakeCall<Body>): Promise<void> {
  const document = await loadDocument(file, ctx);
  const settings = await ctx.settings();
  const names = createWireNames(settings.names);
  const body = names.decode(document.value, INTAKE_NAMES);
  const issues = explain(call.schema, body);
  if (issues.length > 0) {
    const places = issues.map(({ path, message }) => {
      const written = pathAsWritten(document.value, path, names);
      return { file: document.name, path: showPath(written), ...document.locate(written), message };
    });
    throw invalidInput(`${document.name} is ${call.what}.`, places);
  }
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([call.describe(body as Body)]);
    return;
  }
  if (settings.protected) await ctx.confirmWrite('Send this?', call.address);
  await call.send(body as Body);
  await ctx.out.emit({ accepted: true }, view);
}
