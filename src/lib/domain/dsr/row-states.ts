// Id and state of each row of a bulk run, in a few bytes per row, so that a million rows fit in memory.

/** `planned`: the id is journaled and the request may have been sent. `unknown`: a resume asks the platform again. */
export type RowState = 'open' | 'planned' | 'submitted' | 'existing' | 'failed' | 'skipped' | 'unknown';

/** `differs`: unknown; no read can show whose request it is. */
export type StoredState = RowState | 'differs';

const STATES = ['open', 'planned', 'submitted', 'existing', 'failed', 'skipped', 'unknown', 'differs'] as const;
const ID_BYTES = 16;

export type RowStates = ReturnType<typeof createRowStates>;

export function shownState(state: StoredState): RowState {
  return state === 'differs' ? 'unknown' : state;
}

export function countComplete(states: RowStates): number {
  return (['submitted', 'existing', 'failed', 'skipped'] as const).reduce((sum, state) => sum + states.count(state), 0);
}

/** Rows are 1-based. */
export function createRowStates(rows: number) {
  const states = new Uint8Array(rows + 1);
  const ids = Buffer.alloc((rows + 1) * ID_BYTES);
  const errors = new Map<number, string>();
  const counts = new Map<StoredState, number>();

  const stored = (row: number): StoredState => STATES[states[row] ?? 0] as StoredState;

  function set(row: number, state: StoredState): void {
    const before = stored(row);
    counts.set(before, (counts.get(before) ?? 0) - 1);
    counts.set(state, (counts.get(state) ?? 0) + 1);
    states[row] = STATES.indexOf(state);
  }

  return {
    state: (row: number): RowState => shownState(stored(row)),
    /** True if a run still has to send or query the row. */
    isLeft: (row: number): boolean => ['open', 'planned', 'unknown'].includes(stored(row)),
    /** Lower-case id; undefined while the row has no id. */
    id: (row: number): string | undefined => {
      const bytes = ids.subarray(row * ID_BYTES, (row + 1) * ID_BYTES);
      if (bytes.length < ID_BYTES || bytes.every((byte) => byte === 0)) return undefined;
      return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    },
    plan: (row: number, id: string): void => {
      set(row, 'planned');
      ids.set(Buffer.from(id.replaceAll('-', ''), 'hex'), row * ID_BYTES);
    },
    /** Called if the request was not sent after all. The row keeps its id. */
    release: (row: number): void => {
      set(row, 'open');
      errors.delete(row);
    },
    complete: (row: number, state: StoredState, error = ''): void => {
      set(row, state);
      if (error === '') errors.delete(row);
      else errors.set(row, error);
    },
    /** Why the row failed, or why its outcome is unknown. */
    error: (row: number): string => errors.get(row) ?? '',
    /** Rows with an unknown outcome, in ascending order. */
    unknownRows: (): number[] =>
      [...errors.keys()].filter((row) => shownState(stored(row)) === 'unknown').sort((a, b) => a - b),
    count: (state: RowState): number =>
      [...counts].reduce((sum, [one, count]) => (shownState(one) === state ? sum + count : sum), 0),
  };
}
