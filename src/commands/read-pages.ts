// Reads the pages of a long list, and shows the progress.
import { fail } from '../lib/errors/fail.ts';
import { steadyClock } from '../lib/kernel/clock.ts';
import { isRecord, stringifyJson } from '../lib/kernel/json.ts';
import type { Context, Progress } from '../lib/runtime/context.ts';

interface Page<T> {
  items: readonly T[];
  has_next_page?: boolean | null | undefined;
  total_pages?: number | null | undefined;
  total_items?: number | null | undefined;
}

/** Returns the items of `first` and of all later pages, each once. Throws failed (1) if the platform repeats pages. */
export async function readPages<T>(
  ctx: Context,
  title: string,
  first: Page<T>,
  read: (page: number) => Promise<Page<T>>,
): Promise<T[]> {
  const items = new Map<unknown, T>();
  const progress = lateProgress(ctx, title);
  let previous = '';
  try {
    for (let [page, number] = [first, 1]; ; page = await read(++number)) {
      const known = items.size;
      for (const item of page.items) items.set(isRecord(item) ? (item['id'] ?? item) : item, item);
      const more = page.has_next_page ?? number < (page.total_pages ?? 1);
      // An empty page ends the list, even if the platform reports another page.
      if (!more || page.items.length === 0) return [...items.values()];
      const text = stringifyJson(page.items);
      if (items.size === known || text === previous)
        throw fail('http.unreadable', { message: `Page ${number} repeats earlier pages.` });
      previous = text;
      progress.update(items.size, page.total_items ?? undefined);
    }
  } finally {
    progress.end();
  }
}

/** Returns a progress display for short work: without `--progress`, it shows nothing in the first second. */
export function lateProgress({ clock, flags, out }: Context, title: string) {
  const { now } = steadyClock(clock);
  const firstAt = now() + (flags.progress === 'auto' ? 1000 : 0);
  let progress: Progress | undefined;
  return {
    update: (done: number, total: number | undefined): void => {
      if (!progress && now() < firstAt) return;
      progress ??= out.progress(title);
      progress.update({ done, ...(total !== undefined && { total }), isPassing: true });
    },
    end: (): void => progress?.end(),
  };
}
