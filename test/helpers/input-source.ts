// Files and standard input for an input reader, with a signal that never aborts.
import { Readable } from 'node:stream';
import type { InputSource } from '../../src/lib/files/read-input.ts';

export function inputSource(
  cwd: string,
  stdin = Readable.from([]),
  signal = new AbortController().signal,
): InputSource {
  return { io: { cwd, stdin }, signal };
}
