// The files and the standard input of a reader of inputs, with a signal that never aborts.
import { Readable } from 'node:stream';
import type { InputSource } from '../../src/lib/files/read-input.ts';

export function inputSource(
  cwd: string,
  stdin = Readable.from([]),
  signal = new AbortController().signal,
): InputSource {
  return { io: { cwd, stdin }, signal };
}
