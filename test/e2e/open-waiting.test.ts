// Opening a named pipe blocks until another process opens the other end.
import { execFileSync } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { openWaiting } from '../../src/lib/files/open-waiting.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/** More files than Node has threads to open them with. */
const MANY = 8;

describe.skipIf(process.platform === 'win32')('a named pipe', () => {
  const named = (): string => {
    const path = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    return path;
  };

  it('is opened when a writer opens it, and is read until the writer closes it', async () => {
    const path = named();
    const opening = openWaiting(path, new AbortController().signal);
    await writeFile(path, 'a: 1\n');
    expect(await text(await opening)).toBe('a: 1\n');
  });

  it('does not block a thread after the command has stopped', async () => {
    const path = named();
    const stop = new AbortController();
    const openings = Array.from({ length: MANY }, () => openWaiting(path, stop.signal));
    const reason = new Error('told to stop');
    stop.abort(reason);
    const ended = await Promise.allSettled(openings);
    expect(ended).toEqual(ended.map(() => ({ status: 'rejected', reason })));
    expect((await stat(path)).isFIFO()).toBe(true);
  });

  it('is not waited for if the command has already stopped', async () => {
    const path = named();
    await expect(openWaiting(path, AbortSignal.abort(new Error('told to stop')))).rejects.toThrow('told to stop');
    expect((await stat(path)).isFIFO()).toBe(true);
  });

  it("is reported with the system's error if it no longer exists", async () => {
    await expect(openWaiting('/nowhere/pipe', new AbortController().signal)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

it('reads a device that is not a terminal as a file', async () => {
  expect(await text(await openWaiting('/dev/null', new AbortController().signal))).toBe('');
});
