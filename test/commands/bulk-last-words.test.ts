// A bulk run that a second signal or a slow stop ends at once: it still reports how to resume.
import { describe, expect, it } from 'vitest';
import type { CliOptions, CliResult } from '../helpers/cli.ts';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { startFaultProxy } from '../helpers/fault-proxy.ts';
import { opened } from '../helpers/opened.ts';
import { startSeeding, userRows } from '../helpers/seeding-home.ts';
import { hungUp, interrupted, terminated } from '../../src/lib/runtime/interrupt.ts';

type Run = (flags: string[], options: CliOptions) => Promise<CliResult>;

/** Each bulk command with three rows. The platform accepts the first one, and never responds to the others. */
const COMMANDS: readonly (readonly [command: string, start: (stall: () => void) => Promise<Run>])[] = [
  [
    'seed bulk',
    async (stall) => {
      const seeding = await opened(
        startSeeding((_body, request) => {
          if (request === 1) return undefined;
          stall();
          return new Promise(() => undefined);
        }),
      );
      seeding.write('users.ndjson', userRows(3));
      return (flags, options) =>
        seeding.run(['seed', 'bulk', 'users.ndjson', '--batch-size', '1', '--concurrency', '1', ...flags], options);
    },
  ],
  [
    'dsr submit',
    async (stall) => {
      const home = await opened(createDsrHome());
      const direct = new URL(home.env['CDPADM_DSR_BASE_URL'] ?? '');
      const proxy = await opened(startFaultProxy(Number(direct.port)));
      home.env['CDPADM_DSR_BASE_URL'] = proxy.url + direct.pathname;
      let posts = 0;
      await proxy.begin((_index, { method }) =>
        method === 'POST' && ++posts > 1 ? { name: 'no response', delivered: false, act: stall } : undefined,
      );
      home.write('people.csv', `email\n${['a', 'b', 'c'].map((name) => `${name}@example.com\n`).join('')}`);
      const words = ['--regulation', 'gdpr', '--type', 'access', '--concurrency', '1'];
      return (flags, options) => home.run(['dsr', 'submit', '--bulk', 'people.csv', ...words, ...flags], options);
    },
  ],
];

describe.each(COMMANDS)('%s', (command, start) => {
  /** Stops the run once its second request is sent and, with `shown`, standard error contains that text. */
  async function stopped(reason: Error, flags: string[], shown = '', options: CliOptions = {}): Promise<CliResult> {
    const [stop, hurry] = [new AbortController(), new AbortController()];
    let isStalled = false;
    let drawn = '';
    const stopNow = (): void => {
      if (!isStalled || !drawn.includes(shown)) return;
      stop.abort(reason);
      hurry.abort();
    };
    const run = await start(() => {
      isStalled = true;
      stopNow();
    });
    const onOutput = (_stdout: string, stderr: string): void => {
      drawn = stderr;
      stopNow();
    };
    return await run([...flags, '--yes'], { ...options, onOutput, stop, hurry: hurry.signal });
  }

  it.each([
    ['Ctrl-C', interrupted(), 130],
    ['SIGTERM', terminated(), 143],
    ['SIGHUP', hungUp(), 129],
  ] as const)('prints how to resume if %s ends it at once', async (_name, reason, code) => {
    const result = await stopped(reason, []);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toContain(reason.message);
    expect(result.stderr).toMatch(new RegExp(`To continue:\\s+cdpadm ${command}.* --yes --resume\n$`));
  });

  it('clears the live line, and does not draw another, before it prints how to resume', async () => {
    const terminal = { tty: { stderr: true }, env: { TERM: 'xterm' }, columns: 200 };
    const { stderr } = await stopped(interrupted(), [], 'rows/s', terminal);
    expect(stderr).toMatch(/rows\/s[^\r\n]*\r\u001b\[K[^\r]*Interrupted\.[^\r]*--resume\n$/);
  });

  it('prints one JSON error that contains the progress and the command that resumes it', async () => {
    const { code, stderr } = await stopped(interrupted(), ['-o', 'json']);
    const documents = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { error?: { progress: object } });
    const [failure, ...others] = documents.flatMap(({ error }) => error ?? []);
    expect([code, others]).toEqual([130, []]);
    expect(failure).toMatchObject({
      code: 'interrupted',
      progress: { resume: expect.stringMatching(`^cdpadm ${command}.* --yes --resume -o json`) as string },
    });
  });
});
