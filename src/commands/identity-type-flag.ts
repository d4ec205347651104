// The flag that allows identity types which the specification does not show.
import type { FlagSpec } from '../lib/runtime/command-line/define-command.ts';

export const identityTypeFlag = {
  value: 'type',
  many: true,
  help: 'identity type of this deployment; may be repeated',
} as const satisfies FlagSpec;
