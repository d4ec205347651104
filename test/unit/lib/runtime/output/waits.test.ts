// The status line of a slow call: it appears after a second and is removed at the end.
import { afterEach, beforeEach, expect, it, test, vi } from 'vitest';
import { readGlobalFlags } from '../../../../../src/lib/runtime/command-line/global-flags.ts';
import { createMessages } from '../../../../../src/lib/runtime/output/messages.ts';
import { createWaits } from '../../../../../src/lib/runtime/output/waits.ts';
import { type CliOptions, createTestIo } from '../../../../helpers/cli.ts';
import { createTestClock } from '../../../../helpers/clock.ts';

const ANSWER = { text: 'Waiting for the response' };
const ASKED = { text: 'Waiting 6s as the platform requested (429)', isRequested: true };
const AGAIN = { text: 'Retrying in 3s (503)' };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function listen(raw: Record<string, unknown>, options: CliOptions) {
  const clock = createTestClock();
  const { io, stderr } = createTestIo({ ...options, clock });
  const messages = createMessages(io);
  return {
    messages,
    stderr,
    begin: createWaits(io, readGlobalFlags(raw, io.env), messages),
    pass: async (ms: number) => {
      for (let left = ms; left > 0; left -= 100) {
        clock.advance(100);
        await vi.advanceTimersByTimeAsync(100);
        await vi.dynamicImportSettled();
      }
    },
  };
}

test('shows a live line with the elapsed seconds after one second, and removes it when the call ends', async () => {
  const { begin, pass, stderr } = listen({}, { tty: true });
  const end = begin(ASKED);
  await pass(900);
  expect(stderr()).toBe('');
  await pass(1100);
  end();
  await pass(3000);
  expect(stderr()).toBe(`\r\u001b[K${ASKED.text}, 1s so far\r\u001b[K${ASKED.text}, 2s so far\r\u001b[K`);
});

test('treats consecutive calls as one wait, but not calls with a pause between them', async () => {
  const { begin, pass, stderr } = listen({}, { tty: true });
  for (let call = 0; call < 3; call++) {
    const end = begin(ANSWER);
    await pass(400);
    end();
  }
  expect(stderr()).toBe(`\r\u001b[K${ANSWER.text}, 1s so far\r\u001b[K`);
  for (let call = 0; call < 5; call++) {
    await pass(200);
    const end = begin(ANSWER);
    await pass(900);
    end();
  }
  expect(stderr().match(/so far/g)).toHaveLength(1);
});

test('does not replace the live line of a command that draws its own', async () => {
  const { begin, messages, pass, stderr } = listen({}, { tty: true });
  messages.live('Sending: 1 of 2');
  const end = begin(ANSWER);
  await pass(5000);
  end();
  expect(stderr()).toBe('\r\u001b[KSending: 1 of 2');
});

test('replaces its own live line with the live line of the command when the command draws one', async () => {
  const { begin, messages, pass, stderr } = listen({}, { tty: true });
  const end = begin(ANSWER);
  await pass(1000);
  messages.live('Sending: 1 of 2');
  end();
  expect(stderr()).toMatch(/1s so far\r\u001b\[KSending: 1 of 2$/);
});

it.each<[string, Record<string, unknown>, CliOptions]>([
  ['in a pipe', {}, {}],
  ['with --progress plain', { progress: 'plain' }, { tty: true }],
  ['with TERM=dumb', {}, { tty: true, env: { TERM: 'dumb' } }],
  ['with CDPADM_ACCESSIBLE', {}, { tty: true, env: { CDPADM_ACCESSIBLE: '1' } }],
])(
  'prints one line for a requested wait, and one line every ten seconds for other waits: %s',
  async (_where, raw, options) => {
    const { begin, pass, stderr } = listen(raw, options);
    let end = begin(ANSWER);
    await pass(2000);
    expect(stderr()).toBe('');
    end();
    end = begin(ASKED);
    await pass(6000);
    end();
    end = begin(AGAIN);
    await pass(3000);
    end();
    expect(stderr()).toBe(`${ASKED.text}.\n`);
    end = begin(ANSWER);
    await pass(12_000);
    end();
    expect(stderr().trimEnd().split('\n')).toHaveLength(3);
  },
);

test('repeats a long requested wait with the elapsed seconds', async () => {
  const { begin, pass, stderr } = listen({}, {});
  const end = begin(ASKED);
  await pass(22_000);
  end();
  const lines = stderr().trimEnd().split('\n');
  expect(lines[0]).toBe(`${ASKED.text}.`);
  expect(lines.slice(1)).toEqual([`${ASKED.text}, 11s so far.`, `${ASKED.text}, 21s so far.`]);
});

it.each<[string, Record<string, unknown>, CliOptions]>([
  ['--progress none', { progress: 'none' }, { tty: true }],
  ['-q', { quiet: true }, { tty: true }],
  ['-o json in a pipe', { output: 'json' }, {}],
  ['-o ndjson in a pipe', { output: 'ndjson' }, {}],
])('does not print anything with %s', async (_what, raw, options) => {
  const { begin, pass, stderr } = listen(raw, options);
  begin(ASKED);
  await pass(30_000);
  expect(stderr()).toBe('');
});

test('writes one event per wait with --progress json', async () => {
  const { begin, pass, stderr } = listen({ progress: 'json', output: 'json' }, {});
  for (const wait of [ANSWER, ASKED]) {
    const end = begin(wait);
    await pass(3000);
    end();
  }
  const events = stderr()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(events).toMatchObject([
    { progress: { event: 'wait', text: ANSWER.text } },
    { progress: { event: 'wait', text: ASKED.text } },
  ]);
});

it.each([
  ['without -v', {}],
  ['with -v', { verbose: true }],
])('prints a line for a lock that a different process holds, %s', async (_flag, raw) => {
  const { begin, pass, stderr } = listen(raw, {});
  const end = begin({ text: 'Waiting for process 7', isLock: true });
  await pass(3000);
  end();
  expect(stderr()).toBe('Waiting for process 7, 1s so far.\n');
});

test('with -v, does not print a line for a requested wait, because -v already reports it', async () => {
  const { begin, pass, stderr } = listen({ verbose: true }, {});
  begin(ASKED);
  await pass(5000);
  expect(stderr()).toBe('');
});
