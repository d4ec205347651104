// Tracks which part of the input is complete: everything up to a mark, and a few stretches after it. Memory use depends
// on the number of unfinished batches, not on the size of the input.

/** The rows (`from`, `to`] of one input. */
export interface Stretch {
  file: number;
  from: number;
  to: number;
}

export interface Mark {
  file: number;
  position: number;
  /** Offset where reading can resume after the mark; -1 if it must start from the beginning. */
  offset: number;
}

export interface Completed {
  mark: Mark;
  beyond: Stretch[];
}

export const NOTHING_COMPLETED: Completed = { mark: { file: 0, position: 0, offset: 0 }, beyond: [] };

interface Entry extends Stretch {
  endOffset: number;
  completed: boolean;
}

export function createMarks(before: Completed) {
  let mark = before.mark;
  const entries: Entry[] = [];
  return {
    /** Adds an unfinished stretch. Callers must add stretches in input order. */
    open: ({ endOffset, file, from, to }: Stretch & { endOffset: number }): { complete(): void } => {
      const entry: Entry = { file, from, to, endOffset, completed: false };
      entries.push(entry);
      return {
        complete: () => {
          entry.completed = true;
          let done = 0;
          for (let first = entries[0]; first?.completed; first = entries[++done])
            mark = { file: first.file, position: first.to, offset: first.endOffset };
          entries.splice(0, done);
        },
      };
    },
    snapshot: (): Completed => ({
      mark,
      beyond: [...before.beyond.filter((stretch) => isAfter(mark, stretch)), ...joined(entries)],
    }),
  };
}

/** Joins adjacent complete entries, so that all entries after a slow request become a single stretch. */
function joined(entries: readonly Entry[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const { file, from, to, completed } of entries) {
    const last = stretches.at(-1);
    if (!completed) continue;
    if (last?.file === file && last.to === from) last.to = to;
    else stretches.push({ file, from, to });
  }
  return stretches;
}

function isAfter(mark: Mark, { file, to }: Stretch): boolean {
  return file > mark.file || (file === mark.file && to > mark.position);
}

export function completedBefore({ mark, beyond }: Completed): (file: number, position: number) => boolean {
  return (file, position) =>
    file < mark.file ||
    (file === mark.file && position <= mark.position) ||
    (beyond.length > 0 &&
      beyond.some((stretch) => stretch.file === file && position > stretch.from && position <= stretch.to));
}
