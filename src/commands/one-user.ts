// What `seed set`, `intake event` and `intake identify` share: each sends the body of one user.
import * as z from 'zod/mini';
import { pathAsWritten, type WireNames } from '../lib/contract/names.ts';
import { identityAdvice } from '../lib/domain/identity-types.ts';
import { type LoadedDocument, placeIssues } from '../lib/files/load.ts';
import type { DocumentView } from '../lib/render/view.ts';
import type { CommandRecord } from '../lib/runtime/command-line/define-command.ts';
import type { Context } from '../lib/runtime/context.ts';
import { identityTypeFlag } from './flag-values.ts';
import { workspaceTarget } from './results.ts';

export const oneUserRecord = {
  effect: 'write',
  calls: 'platform',
  tool: ['identityType'],
  undoNote: 'The platform does not report earlier values, so nothing can restore them.',
  flags: {
    file: { short: 'f', value: 'file', required: true, help: 'body as a JSON or YAML file; - reads standard input' },
    identityType: identityTypeFlag,
  },
  output: () => z.object({ accepted: z.literal(true), target: workspaceTarget() }),
  exits: { invalidInput: 'the body is invalid; nothing was sent', guard: 'you answered no' },
  view: { kind: 'document', text: () => 'Accepted.' },
} as const satisfies Partial<CommandRecord> & { view: DocumentView<unknown> };

export function warnOfIdentities(
  ctx: Context,
  document: LoadedDocument,
  identities: unknown,
  field: string,
  names: WireNames,
): void {
  const advice = identityAdvice(identities, field);
  const written = advice.map((issue) => ({ ...issue, path: pathAsWritten(document.value, issue.path, names) }));
  for (const issue of placeIssues(document, written)) ctx.out.warn(issue);
}
