// The flag that allows identity types outside the specification.
import type { FlagSpec } from '../lib/runtime/command-line/define-command.ts';

export const identityTypeFlag = {
  value: 'type',
  many: true,
  help: 'additional identity type of this deployment (repeatable)',
} as const satisfies FlagSpec;
