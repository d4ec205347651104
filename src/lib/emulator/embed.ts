// Starts the platform for another program. Checks the options at run time: that program might not use TypeScript.
import * as z from 'zod/mini';
import { parseWith, showPath } from '../contract/explain.ts';
import { KnownError, usageError } from '../kernel/errors.ts';
import { choiceHint } from '../kernel/nearest.ts';
import type { Emulator, EmulatorOptions } from './base/embedding.ts';
import { startEmulator } from './index.ts';

const Text = z.string().check(z.minLength(1));
const Id = z.int().check(z.minimum(1));

const Identity = z.strictObject({
  vendorDomain: z.optional(Text),
  audience: z.optional(Text),
  org: z.optional(Id),
  account: z.optional(Id),
  workspace: z.optional(Id),
  clientId: z.optional(Text),
  anySecret: z.optional(z.boolean()),
});

const Options = z.strictObject({
  host: z.optional(Text),
  port: z.optional(z.int().check(z.minimum(0), z.maximum(65_535))),
  data: z.optional(Text),
  authority: z.optional(Text),
  memory: z.optional(z.boolean()),
  fixtures: z.optional(z.record(z.string(), z.unknown())),
  warehouse: z.optional(Text),
  names: z.optional(z.record(z.string(), Text)),
  identity: z.optional(Identity),
  publicUrl: z.optional(Text),
  tls: z.optional(z.strictObject({ cert: Text, key: Text })),
  clock: z.optional(z.enum(['real', 'manual'])),
});

/** Resolves once the platform responds. After `close`, `reset` rejects. Throws usage, and what `startEmulator` does. */
export async function embed(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(options);
  return await startEmulator(options).catch((error: unknown) => {
    throw error instanceof KnownError ? forPrograms(error) : error;
  });
}

function checkOptions(options: EmulatorOptions): void {
  const [issue] = parseWith(Options, options).issues;
  if (issue?.path.length === 0) {
    throw usageError('startEmulator expects its options as one object, such as { port: 0 }.');
  }
  if (issue) {
    const [name, key] = [showPath(issue.path), String(issue.path.at(-1))];
    // The message omits the value, which may be long.
    if (!issue.isUnknown) throw usageError(`The option \`${name}\` of startEmulator ${issue.message}.`);
    const known = Object.keys(issue.path[0] === 'identity' ? Identity.shape : Options.shape);
    throw usageError(`Unknown option \`${name}\` for startEmulator.`, choiceHint(key, known));
  }
  if (options.memory === true && options.data !== undefined) {
    throw usageError(
      'startEmulator accepts `memory` or `data`, not both: `memory` stores nothing, and `data` is the state folder.',
    );
  }
}

/** Adds the first issue to the message, because test runners print only the message. */
function forPrograms(error: KnownError): KnownError {
  const { code, hints, issues, message } = error;
  const [first] = issues;
  const where = first && [first.path, first.message].filter(Boolean).join(': ');
  return new KnownError({
    code,
    message: where === undefined ? message : `${message} First issue: ${where}`,
    issues,
    hint: hints,
    cause: error,
  });
}
