// Where a reader of inputs finds its files and its standard input, with nobody who stops it.
import { Readable } from 'node:stream';
import type { InputSource } from '../../src/lib/files/read-input.ts';

export function inputSource(
  cwd: string,
  stdin = Readable.from([]),
  signal = new AbortController().signal,
): InputSource {
  return { io: { cwd, stdin }, signal };
}
