// docs/dsr.md shows callbacks end to end, in several shells; this test runs its command lines.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EmulatorReady } from '../../../src/lib/emulator/index.ts';
import { environmentOf } from '../../../src/lib/runtime/emulator/environment.ts';
import { interrupted } from '../../../src/lib/runtime/interrupt.ts';
import { type CliHome, type CliResult, createCliHome } from '../../helpers/cli.ts';

const page = readFileSync(new URL('../../../docs/dsr.md', import.meta.url), 'utf8');
const block = /^```text\n(cdpadm emulator start[\s\S]*?)^```$/m.exec(page)?.[1] ?? '';
const [start = '', turn = '', listen = '', submit = '', advance = ''] = block
  .trim()
  .split('\n')
  .map((line) => line.replace(/ +#.*$/, ''));

/** Returns the arguments of a command line on the page, followed by `more`. */
const words = (line: string, ...more: string[]): string[] => [...line.split(' ').slice(1), ...more];

let home: CliHome;
const stop = new AbortController();
const serving: Promise<CliResult>[] = [];

/** Starts a command that keeps running; resolves to the first match of `find` in its output. */
async function startUntil<T>(
  args: string[],
  env: Record<string, string>,
  find: (text: string) => T | undefined,
): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const onOutput = (stdout: string, stderr: string): void => {
      const value = find(stdout + stderr);
      if (value !== undefined) resolve(value);
    };
    const running = home.run(args, { env, stop, onOutput });
    serving.push(running);
    running.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
}

beforeAll(() => {
  home = createCliHome();
});
afterAll(async () => {
  stop.abort(interrupted());
  await Promise.all(serving);
  home.remove();
});

test('delivers and verifies callbacks with the commands in docs/dsr.md until the request is completed', async () => {
  const ready = await startUntil(words(start, '--port', '0', '-o', 'json'), {}, (text) =>
    text.includes('\n') ? (JSON.parse(text) as EmulatorReady) : undefined,
  );
  expect(turn).toBe('eval "$(cdpadm emulator env)"');
  const env = environmentOf(ready);
  let output = '';
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const address = await startUntil(words(listen.replace(/ --port \d+/, ' --port 0')), env, (text) => {
    output = text;
    if (text.includes('completed: ')) arrive();
    return /Listening for callbacks at (\S+)/.exec(text)?.[1];
  });
  const shown = /--port (\d+)/.exec(listen)?.[1] ?? '';
  expect(submit).toContain(`http://127.0.0.1:${shown}/`);
  const line = submit.replace(/http:\S+/, address);
  expect(await home.run(words(line, '--yes'), { env })).toMatchObject({ code: 0 });
  expect(await home.run(words(advance), { env })).toMatchObject({ code: 0 });
  await arrived;
  expect(output).toMatch(/202 .*in_progress: stored[\s\S]*202 .*completed: stored/);
});
