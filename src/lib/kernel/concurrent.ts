// Runs asynchronous work for many items.

/** Runs `work` for up to `most` items at once. Results keep the order of the items. The first failure stops and rejects. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  // Unlike the iterator of an array, a generator ends for all lanes once one of them throws.
  const left = (function* () {
    yield* items.entries();
  })();
  const lane = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: most }, lane));
  return results;
}
