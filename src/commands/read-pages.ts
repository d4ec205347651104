// Reads the pages of a long list, and shows the progress.
import type { Context, Progress } from '../lib/runtime/context.ts';

interface Page<T> {
  items: readonly T[];
  has_next_page?: boolean | null | undefined;
  total_items?: number | null | undefined;
}

/** Returns the items of `first`, the first page, and of all later pages. */
export async function readPages<T>(
  ctx: Context,
  title: string,
  first: Page<T>,
  read: (page: number) => Promise<Page<T>>,
): Promise<T[]> {
  const items: T[] = [];
  const progress = lateProgress(ctx, title);
  try {
    for (let [page, number] = [first, 2]; ; page = await read(number++)) {
      for (const item of page.items) items.push(item);
      // An empty page ends the list, even if the platform reports another page.
      if (page.has_next_page !== true || page.items.length === 0) return items;
      progress.update(items.length, page.total_items ?? undefined);
    }
  } finally {
    progress.end();
  }
}

/** Returns progress for work that is usually short: without `--progress`, nothing is shown in the first second. */
export function lateProgress({ clock, flags, out }: Context, title: string) {
  const firstAt = clock.now() + (flags.progress === 'auto' ? 1000 : 0);
  let progress: Progress | undefined;
  return {
    update: (done: number, total: number | undefined): void => {
      if (!progress && clock.now() < firstAt) return;
      progress ??= out.progress(title);
      progress.update({ done, ...(total !== undefined && { total }), isPassing: true });
    },
    end: (): void => progress?.end(),
  };
}
