// `emulator fault add`, `list` and `clear`: errors, delays and lost connections for matching requests.
import * as z from 'zod/mini';
import { METHODS } from '../../lib/contract/choices.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { fields, type Column, type ListView } from '../../lib/render/view.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { change, controlCalls, read } from '../../lib/runtime/emulator/control.ts';
import { onPlatform, portFlag } from './start.ts';

type Fault = z.infer<ReturnType<typeof faultResult>>;

/** Returns the schema of a fault that is sent to the control address. */
function faultResult() {
  return z.object({
    method: z.optional(z.string()),
    path: z.optional(z.string()),
    status: z.optional(z.number()),
    retry_after: z.optional(z.union([z.number(), z.string()])),
    delay: z.optional(z.union([z.number(), z.string()])),
    drop: z.optional(z.enum(['before', 'after'])),
    times: z.optional(z.number()),
    probability: z.optional(z.number()),
  });
}

const columns: Column<Fault>[] = [
  { key: 'method', value: ({ method }) => method ?? 'any' },
  { key: 'path', id: true, value: ({ path }) => path ?? 'any' },
  { key: 'status', value: ({ status }) => status, align: 'right' },
  { key: 'retry_after', value: ({ retry_after }) => retry_after, rank: 2 },
  ...fields('delay', 'drop'),
  { key: 'times', value: ({ times }) => times ?? 'all', rank: 1 },
  { key: 'probability', value: ({ probability }) => probability, rank: 2 },
];

const view: ListView<Fault> = { kind: 'list', columns, empty: 'There are no faults.' };
const listRecord = { ...onPlatform, output: () => z.array(faultResult()), view } as const;

const faultFlags = {
  method: { value: 'method', help: 'HTTP method to match (default: any)', choices: METHODS },
  path: { value: 'pattern', help: 'path to match; * matches any characters (default: any)' },
  status: { value: 'n', most: 599, help: 'respond with this status without processing the request' },
  retryAfter: { value: 'value', help: 'Retry-After header of that response: seconds, or a date' },
  delay: { value: 'dur', help: 'delay before processing, such as 2s' },
  drop: {
    value: 'when',
    help: 'close the connection before or after processing the request',
    choices: ['before', 'after'],
  },
  times: { value: 'n', most: 999_999_999, help: 'number of requests to affect (default: all)' },
  probability: {
    value: 'share',
    read: readShare,
    help: 'share of the matching requests to affect, from 0 to 1 (default: 1)',
  },
  ...portFlag,
} as const satisfies Record<string, FlagSpec>;

export const addFault = defineCommand({
  path: 'emulator fault add',
  summary: 'add a fault; requires --status, --delay or --drop',
  ...onPlatform,
  flags: faultFlags,
  output: faultResult,
  examples: [
    'cdpadm emulator fault add --status 503 --retry-after 2 --times 1',
    'cdpadm emulator fault add --method PUT --path "*/roles" --drop after --times 1',
  ],
  run: (ctx, { flags }) => change(ctx, flags, controlCalls.addFault(faultOf(flags))),
  view: { kind: 'record', columns },
});

export const listFaults = defineCommand({
  path: 'emulator fault list',
  summary: 'list the faults and the number of requests left for each',
  ...listRecord,
  examples: ['cdpadm emulator fault list', 'cdpadm emulator fault list -o json'],
  run: (ctx, { flags }) => read(ctx, flags, controlCalls.faults),
});

export const clearFaults = defineCommand({
  path: 'emulator fault clear',
  summary: 'remove all faults',
  ...listRecord,
  examples: ['cdpadm emulator fault clear', 'cdpadm emulator fault clear --profile local'],
  run: (ctx, { flags }) => change(ctx, flags, controlCalls.clearFaults),
});

function faultOf(flags: FlagValues<typeof faultFlags>): Fault {
  const { delay, drop, method, path, probability, retryAfter, status, times } = flags;
  if (status === undefined && delay === undefined && drop === undefined) {
    throw usageError('The fault has no effect.', 'Pass at least one of --status, --delay and --drop.');
  }
  const retry_after = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : retryAfter;
  return { method, path, status, retry_after, delay, drop, times, probability };
}

function readShare(text: string, flag: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw usageError(`${flag} must be a number, not \`${text}\`.`);
}
