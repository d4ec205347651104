// A ledger of hundreds of thousands of requests takes seconds to read: told, as what a call waits for is.
import type { Context } from '../../lib/runtime/context.ts';

/** The parts as they come, with a line while one takes longer than a second. */
export async function* toldReading<Part>(
  ctx: { out: Pick<Context['out'], 'waits'> },
  parts: AsyncIterator<Part, void>,
): AsyncGenerator<Part> {
  try {
    for (;;) {
      const end = ctx.out.waits({ text: 'Reading the ledger' });
      const next = await parts.next().finally(end);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await parts.return?.();
  }
}
