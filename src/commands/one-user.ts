// What `seed set`, `intake event` and `intake identify` share: each sends the body of one user.
import * as z from 'zod/mini';
import type { DocumentView } from '../lib/render/view.ts';
import type { CommandRecord } from '../lib/runtime/command-line/define-command.ts';
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
