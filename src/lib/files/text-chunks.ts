// Decodes bytes to chunks of text, for readers that do not need the whole text at once.
import { KnownError } from '../kernel/errors.ts';
import { cannotReadInput, IS_UTF16, isUtf16, notText } from './read-input.ts';

/** Removes a byte order mark. Throws for a file that is missing (usage, 2), unreadable (failed, 1) or not UTF-8 (9). */
export async function* decoded(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 1;
  try {
    for await (const bytes of chunks) {
      if (lines === 1 && isUtf16(bytes)) throw notText(name, { line: 1, column: 1 }, IS_UTF16);
      const text = decoder.decode(bytes, { stream: true });
      lines += text.split('\n').length - 1;
      yield text;
    }
    yield decoder.decode();
  } catch (error) {
    if (error instanceof KnownError) throw error;
    if (error instanceof TypeError)
      throw notText(name, { line: lines, column: 1 }, 'contains invalid UTF-8; save the file as UTF-8');
    throw cannotReadInput(name, error);
  }
}

/** Yields the lines without their line breaks. The last line does not need a line break. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string[]> {
  let rest = '';
  for await (const chunk of chunks) {
    // Joining before the split would copy a long line once per chunk.
    const lines = chunk.split('\n');
    lines[0] = rest + (lines[0] ?? '');
    rest = lines.pop() ?? '';
    yield lines;
  }
  yield [rest];
}
