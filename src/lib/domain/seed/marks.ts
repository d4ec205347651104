// What of the input is complete: everything up to a mark, and the few stretches beyond it that overtook the others.
// However long the input is, this stays as small as the number of batches under way.

/** (`from`, `to`] of one input. */
export interface Stretch {
  file: number;
  from: number;
  to: number;
}

export interface Mark {
  file: number;
  position: number;
  /** Where reading can begin again behind the mark; -1 where only reading from the start finds it. */
  offset: number;
}

/** As it stands in the journal. */
export interface Completed {
  mark: Mark;
  beyond: Stretch[];
}

export const NOTHING_COMPLETED: Completed = { mark: { file: 0, position: 0, offset: 0 }, beyond: [] };

export type Marks = ReturnType<typeof createMarks>;

interface Entry extends Stretch {
  endOffset: number;
  completed: boolean;
}

export function createMarks(before: Completed) {
  let mark = before.mark;
  const entries: Entry[] = [];
  return {
    /** Notes that a stretch is under way; stretches are opened in the order of the input. */
    open: (stretch: Stretch & { endOffset: number }): { complete(): void } => {
      const entry: Entry = { ...stretch, completed: false };
      entries.push(entry);
      return {
        complete: () => {
          entry.completed = true;
          let done = 0;
          for (let first = entries[0]; first?.completed; first = entries[++done]) {
            mark = { file: first.file, position: first.to, offset: first.endOffset };
          }
          entries.splice(0, done);
        },
      };
    },
    snapshot: (): Completed => ({
      mark,
      beyond: [...before.beyond.filter((stretch) => isBehind(mark, stretch)), ...joined(entries)],
    }),
  };
}

/** What is complete among the entries; side by side they are one stretch, so that a slow request costs no more than one. */
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

function isBehind(mark: Mark, { file, to }: Stretch): boolean {
  return file > mark.file || (file === mark.file && to > mark.position);
}

/** The test for rows that an earlier run completed. */
export function completedBefore({ mark, beyond }: Completed): (file: number, position: number) => boolean {
  return (file, position) =>
    file < mark.file ||
    (file === mark.file && position <= mark.position) ||
    (beyond.length > 0 &&
      beyond.some((stretch) => stretch.file === file && position > stretch.from && position <= stretch.to));
}
