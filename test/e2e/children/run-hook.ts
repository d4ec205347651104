// A child process that runs a hook while it has no free file descriptors, and prints the error.
import { closeSync, openSync } from 'node:fs';
import { createRedactor } from '../../../src/lib/kernel/redact.ts';
import { systemClock } from '../../../src/lib/kernel/clock.ts';
import type { Context } from '../../../src/lib/runtime/context.ts';
import { openHook } from '../../../src/lib/runtime/callbacks/delivery.ts';

const [folder = ''] = process.argv.slice(2);
const context = {
  clock: systemClock,
  io: { cwd: folder, env: process.env },
  paths: { config: folder },
  redactor: createRedactor(),
} as unknown as Context;
const run = openHook(context, 'true', 60_000);
const open: number[] = [];
try {
  for (;;) open.push(openSync('/dev/null', 'r'));
} catch {
  // The hook's environment is read from a file, which needs one of them.
  closeSync(open.pop() ?? 0);
}
const error = await run(
  { id: 'a', headers: [], body: Buffer.from('{}'), variables: {} },
  new AbortController().signal,
).catch((reason: unknown) => reason as Error);
for (const one of open) closeSync(one);
process.stdout.write(error?.message ?? 'started');
