// Progress in each format. The rate of output does not depend on the number of updates.
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import type { Progress } from '../../../../../src/lib/runtime/context.ts';
import { readGlobalFlags } from '../../../../../src/lib/runtime/command-line/global-flags.ts';
import { createMessages } from '../../../../../src/lib/runtime/output/messages.ts';
import { createProgress } from '../../../../../src/lib/runtime/output/progress.ts';
import { type CliOptions, createTestIo } from '../../../../helpers/cli.ts';
import { createTestClock, type TestClock } from '../../../../helpers/clock.ts';

function watch(
  raw: Record<string, unknown>,
  options: CliOptions,
  work: (progress: Progress, clock: TestClock) => void,
) {
  const clock = createTestClock();
  const { io, stdout, stderr } = createTestIo({ ...options, clock });
  const flags = readGlobalFlags(raw, io.env);
  const messages = createMessages(io);
  work(createProgress('Sending', io, flags, messages), clock);
  expect(stdout()).toBe('');
  return stderr();
}

test('redraws one line on a terminal and then removes it', () => {
  const text = watch({}, { tty: true }, (progress, clock) => {
    progress.update({ done: 1, total: 4 });
    clock.advance(50);
    progress.update({ done: 2, total: 4 });
    clock.advance(50);
    progress.update({ done: 3, total: 4, text: 'bad\nname' });
    progress.end('Sent 4.');
  });
  const bar = (full: number): string => '█'.repeat(full) + '░'.repeat(15 - full);
  expect(text).toBe(
    `\r\u001b[KSending ${bar(3)} 25%, 1 of 4\r\u001b[KSending ${bar(11)} 75%, 3 of 4, bad name\r\u001b[KSent 4.\n`,
  );
});

test('updates the elapsed time every second, even if the state is unchanged', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const text = watch({}, { tty: true }, (progress, clock) => {
    progress.update({ done: 0, text: 'pending' });
    for (let second = 1; second <= 2; second++) {
      clock.advance(1000);
      vi.advanceTimersByTime(1000);
    }
    progress.end();
    vi.advanceTimersByTime(5000);
  });
  const lines = ['Sending: 0, pending', 'Sending: 0, 1s elapsed, pending', 'Sending: 0, 2s elapsed, pending', ''];
  expect(text).toBe(lines.map((line) => `\r\u001b[K${line}`).join(''));
});

test('omits the rate of a bulk run from the live line after five seconds without an update', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const text = watch({}, { tty: true }, (progress, clock) => {
    progress.update({ done: 1, text: '9,000 rows/s, 2 rejected', outcomes: '2 rejected' });
    for (let second = 1; second <= 5; second++) {
      clock.advance(1000);
      vi.advanceTimersByTime(1000);
    }
  });
  const lines = text.split('\r\u001b[K').slice(-2);
  expect(lines).toEqual(['Sending: 1, 4s elapsed, 9,000 rows/s, 2 rejected', 'Sending: 1, 5s elapsed, 2 rejected']);
});

test('shows a live line after one second even if no progress was reported', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const text = watch({}, { tty: true }, (progress, clock) => {
    clock.advance(1000);
    vi.advanceTimersByTime(1000);
    progress.end();
  });
  expect(text).toBe('\r\u001b[KSending: 0, 1s elapsed\r\u001b[K');
});

test('omits the last parts of a live line that would be too long', () => {
  const text = watch({}, { tty: true, columns: 20 }, (progress) => progress.update({ done: 1, text: 'x'.repeat(100) }));
  expect(text).toBe('\r\u001b[KSending: 1');
});

it.each([
  [50, 'Sending: 1,250,000 of 5,000,000 rows (25%)'],
  [60, `Sending ${'█'.repeat(2)}${'░'.repeat(9)} 25%, 1,250,000 rows, 9,000 rows/s`],
  [100, `Sending ${'█'.repeat(4)}${'░'.repeat(15)} 25%, 1,250,000 of 5,000,000 rows, 9,000 rows/s`],
])('draws a bar only if there is space for it: %d columns', (columns, wanted) => {
  const state = { done: 1_250_000, total: 5_000_000, unit: 'rows', text: '9,000 rows/s' };
  const text = watch({}, { tty: true, columns }, (progress) => progress.update(state));
  expect(text).toBe(`\r\u001b[K${wanted}`);
});

it.each([20, 47, 60, 61, 80, 100, 200])('leaves space for two echoed `^C` on a live line in %d columns', (columns) => {
  const text = watch({}, { tty: true, columns }, (progress, clock) => {
    clock.advance(9000);
    progress.update({
      done: 1_250_000,
      total: 5_000_000,
      unit: 'rows',
      text: '9,000 rows/s, 4m left, 12 rejected, 3 retries',
    });
    progress.wait(90_000, 'the platform is unavailable');
  });
  for (const line of text.split('\r\u001b[K')) expect(line.length).toBeLessThanOrEqual(columns - '^C^C'.length - 1);
});

test('prints a message above the live line', () => {
  const { io, stderr } = createTestIo({ tty: true });
  const messages = createMessages(io);
  messages.live('working');
  messages.line('a note');
  messages.live(undefined);
  expect(stderr()).toBe('\r\u001b[Kworking\r\u001b[Ka note\nworking\r\u001b[K');
});

test('prints a line every 10%, and after ten seconds without a line, if it cannot redraw', () => {
  const text = watch({}, {}, (progress, clock) => {
    for (let done = 1; done <= 100; done++) progress.update({ done, total: 100 });
    clock.advance(10_000);
    progress.update({ done: 100, total: 100 });
    progress.end();
  });
  expect(text.split('\n')).toHaveLength(10 + 1 + 1);
  expect(text.startsWith('Sending: 10 of 100 (10%)\n')).toBe(true);
});

test('prints a line after a second, every ten seconds and at the end if it cannot redraw and the total is unknown', () => {
  const text = watch({}, {}, (progress, clock) => {
    for (let done = 1; done <= 30; done++) {
      progress.update({ done });
      clock.advance(500);
    }
    progress.end();
  });
  expect(text).toBe('Sending: 3, 1s elapsed\nSending: 23, 11s elapsed\nSending: 30, 15s elapsed\n');
});

test('writes NDJSON events with --progress json', () => {
  const text = watch({ progress: 'json' }, {}, (progress) => {
    progress.update({ done: 1, unit: 'rows', data: { rejected: 9223372036854775807n } });
    progress.end('Sent.');
  });
  expect(text).toBe(
    [
      '{"progress":{"event":"start","title":"Sending","at":"2026-11-21T08:00:00.000Z"}}',
      '{"progress":{"event":"progress","title":"Sending","at":"2026-11-21T08:00:00.000Z","done":1,"rejected":9223372036854775807}}',
      '{"progress":{"event":"end","title":"Sending","at":"2026-11-21T08:00:00.000Z","text":"Sent."}}',
      '',
    ].join('\n'),
  );
});

test('writes at most one event per second for rapid updates, and always the last update', () => {
  const text = watch({ progress: 'json' }, {}, (progress, clock) => {
    for (let done = 1; done <= 25; done++) {
      progress.update({ done, isPassing: true, data: { rejected: 0 } });
      clock.advance(100);
    }
    progress.end();
    progress.end();
  });
  expect(text).not.toContain('isPassing');
  expect([...text.matchAll(/"done":(\d+)/g)].map(([, done]) => done)).toEqual(['1', '11', '21', '25']);
});

describe('progress with -o json or -o ndjson', () => {
  const events = (text: string): unknown[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { progress: { event: string } }).progress.event);

  it.each(['json', 'ndjson'])('is printed only as JSON events, at the same rate as text lines: -o %s', (output) => {
    const text = watch({ output }, {}, (progress, clock) => {
      for (let done = 1; done <= 100; done++) progress.update({ done, total: 100 });
      progress.wait(300_000, 'the platform requested a pause');
      clock.advance(10_000);
      progress.update({ done: 100, total: 100 });
      progress.end('Sent.');
    });
    expect(events(text)).toEqual(['start', ...Array<string>(10).fill('progress'), 'wait', 'progress', 'end']);
  });

  test('is not printed if the command finishes early', () => {
    const text = watch({ output: 'json' }, {}, (progress) => {
      progress.update({ done: 1 });
      progress.end('Sent.');
    });
    expect(text).toBe('');
  });

  test('is not printed as JSON events on a terminal or with a different progress format', () => {
    const draw = (progress: Progress): void => progress.update({ done: 5, total: 10 });
    expect(watch({ output: 'json' }, { tty: { stderr: true } }, draw)).toMatch(
      /^\r\u001b\[KSending █+░+ 50%, 5 of 10$/,
    );
    expect(watch({ output: 'json', progress: 'plain' }, {}, draw)).toBe('Sending: 5 of 10 (50%)\n');
    expect(watch({ output: 'json', quiet: true }, {}, draw)).toBe('');
  });
});

describe('the progress format', () => {
  const draw = (progress: Progress): void => {
    progress.update({ done: 5, total: 10 });
    progress.end('Sent.');
  };
  it.each<[string, Record<string, unknown>, CliOptions, string]>([
    ['none with --progress none', { progress: 'none' }, { tty: true }, ''],
    ['none with -q', { quiet: true }, { tty: true }, ''],
    ['plain with --progress plain', { progress: 'plain' }, { tty: true }, 'Sending: 5 of 10 (50%)\nSent.\n'],
    ['plain with TERM=dumb', {}, { tty: true, env: { TERM: 'dumb' } }, 'Sending: 5 of 10 (50%)\nSent.\n'],
    ['plain with CI', {}, { tty: true, env: { CI: 'true' } }, 'Sending: 5 of 10 (50%)\nSent.\n'],
    [
      'plain with CDPADM_ACCESSIBLE',
      {},
      { tty: true, env: { CDPADM_ACCESSIBLE: '1' } },
      'Sending: 5 of 10 (50%)\nSent.\n',
    ],
  ])('is %s', (_what, raw, options, expected) => {
    expect(watch(raw, options, draw)).toBe(expected);
  });
});

describe('a wait', () => {
  const LONG = 'the platform requested a pause, waiting 5m';

  test('is shown on the live line immediately', () => {
    const text = watch({}, { tty: true }, (progress) => {
      progress.update({ done: 1 });
      progress.wait(1500, 'too many requests');
    });
    expect(text).toBe('\r\u001b[KSending: 1\r\u001b[KSending: too many requests, waiting 2s');
  });

  test('keeps its length on a narrow terminal, without the hint for a long wait', () => {
    const text = watch({}, { tty: true, columns: 60 }, (progress) => {
      progress.update({ done: 1, unit: 'rows' });
      progress.wait(90_000, 'the platform requested a pause');
    });
    expect(text.split('\u001b[K').at(-1)).toBe('Sending: the platform requested a pause, waiting 1m 30s');
  });

  test.each([
    [
      140,
      'Sending ████████████░░░░░░░░░░░░ 50%, 2 of 4 rows, the platform is unavailable, waiting 5s, 3s elapsed, 1 rejected',
    ],
    [100, 'Sending: the platform is unavailable, waiting 5s, 2 of 4 rows done, 3s elapsed, 1 rejected'],
    [
      112,
      `Sending ${'█'.repeat(10)}${'░'.repeat(11)} 50%, 2 rows, the platform is unavailable, waiting 5s, 3s elapsed, 1 rejected`,
    ],
    [60, 'Sending: the platform is unavailable, waiting 5s'],
  ])('is shown with the progress so far if both fit: %i columns', (columns, expected) => {
    const text = watch({}, { tty: true, columns }, (progress, clock) => {
      clock.advance(3000);
      progress.update({ done: 2, total: 4, unit: 'rows', text: '9 rows/s, 1 rejected', outcomes: '1 rejected' });
      progress.wait(4500, 'the platform is unavailable');
    });
    expect(text.split('\u001b[K').at(-1)).toBe(expected);
  });

  test('is printed on its own line: with a hint if it is long, or at most every ten seconds if it is short', () => {
    const text = watch({}, {}, (progress, clock) => {
      progress.wait(300_000, 'the platform requested a pause');
      for (let second = 0; second < 25; second++) {
        progress.wait(1000, 'too many requests');
        clock.advance(1000);
      }
    });
    const [first, ...rest] = text.trimEnd().split('\n');
    expect(first).toBe(`Sending: ${LONG} (press Ctrl-C to stop; --resume continues later)`);
    expect(rest).toEqual(['Sending: too many requests, waiting 1s', 'Sending: too many requests, waiting 1s']);
  });

  test('is written as an event with --progress json, and is not shown with --progress none', () => {
    const wait = (progress: Progress): void => progress.wait(1500, 'too many requests');
    const events = watch({ progress: 'json' }, {}, wait).trimEnd().split('\n');
    expect(JSON.parse(events[1] ?? '')).toMatchObject({
      progress: { event: 'wait', seconds: 2, text: 'too many requests' },
    });
    expect(watch({ progress: 'none' }, {}, wait)).toBe('');
  });
});
