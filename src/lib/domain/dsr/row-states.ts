// Id and state of each row of a bulk run, in a few bytes per row, so that a million rows fit in memory.

/** `planned`: the id is journaled and the request may have been sent. `unknown`: a resume asks the platform again. */
export type RowState = 'open' | 'planned' | 'submitted' | 'existing' | 'failed' | 'skipped' | 'unknown';

const STATES: readonly RowState[] = ['open', 'planned', 'submitted', 'existing', 'failed', 'skipped', 'unknown'];
const ID_BYTES = 16;
const START = 1024;

export type RowStates = ReturnType<typeof createRowStates>;

/** True if a run still has to send or query the row. No read can show the identities of a request that differs. */
export function isLeft(states: RowStates, row: number): boolean {
  const state = states.state(row);
  return state === 'open' || state === 'planned' || (state === 'unknown' && !isForeign(states.error(row)));
}

/** Part of the error for a row whose request differs in the response. */
export const DIFFERS = 'the request in the response differs from the one that was sent: ';
export const isForeign = (error = ''): boolean => error.includes(DIFFERS);

/** Prefix of the error for a row that repeats an earlier request. */
const REPEAT = 'not sent: ';

export function repeatError(text: string): string {
  return `${REPEAT}${text}. To send it anyway, submit the results file with --allow-duplicates`;
}

/** Returns the number of rows with a known outcome. */
export function countComplete(states: RowStates): number {
  return (['submitted', 'existing', 'failed', 'skipped'] as const).reduce((sum, state) => sum + states.count(state), 0);
}

/** Rows are 1-based. */
export function createRowStates() {
  let states = new Uint8Array(START);
  let ids = Buffer.alloc(START * ID_BYTES);
  const errors = new Map<number, string>();
  const counts = new Map<RowState, number>();

  function reach(row: number): void {
    if (row < states.length) return;
    const length = Math.max(row + 1, states.length * 2);
    const [moreStates, moreIds] = [new Uint8Array(length), Buffer.alloc(length * ID_BYTES)];
    moreStates.set(states);
    moreIds.set(ids);
    [states, ids] = [moreStates, moreIds];
  }

  function set(row: number, state: RowState): void {
    reach(row);
    const before = STATES[states[row] ?? 0] as RowState;
    counts.set(before, (counts.get(before) ?? 0) - 1);
    counts.set(state, (counts.get(state) ?? 0) + 1);
    states[row] = STATES.indexOf(state);
  }

  return {
    state: (row: number): RowState => STATES[states[row] ?? 0] as RowState,
    /** Lower-case id; undefined while the row has none. */
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
    complete: (row: number, state: RowState, error?: string): void => {
      set(row, state);
      if (error === undefined) errors.delete(row);
      else errors.set(row, error);
    },
    /** Why the row failed, or why its outcome is unknown. */
    error: (row: number): string => errors.get(row) ?? '',
    /** Rows rejected because they repeat an earlier request. */
    repeats: (): number[] => [...errors].flatMap(([row, error]) => (error.startsWith(REPEAT) ? [row] : [])),
    count: (state: RowState): number => counts.get(state) ?? 0,
  };
}
