// Where a running operation is, as one line: with a bar on a terminal, where it is known how much there is.
import { cleanLine } from './clean.ts';
import { displayWidth, fitText } from './width.ts';

export interface ProgressState {
  done: number;
  total?: number;
  /** How much is done, from 0 to 1, where no total says it. */
  share?: number;
  text?: string;
}

/** Narrower lines have no room for a bar, and no bar is longer. */
const LEAST_WIDTH = 50;
const LONGEST_BAR = 24;

/** From 0 to 1; undefined where it is not known how much there is. */
export function shareOf({ done, total, share }: ProgressState): number | undefined {
  const known = share ?? (total ? done / total : undefined);
  return known === undefined ? undefined : Math.min(1, Math.max(0, known));
}

/** `Sending: 1 of 4 (25 %), 12 rows/s`. */
export function progressText(title: string, state: ProgressState): string {
  const share = shareOf(state);
  const percent = share === undefined ? '' : ` (${Math.floor(share * 100)} %)`;
  return cleanLine(`${title}: ${countOf(state)}${percent}${restOf(state)}`);
}

/** `Sending ████░░░░░░░░ 25 %, 1 of 4, 12 rows/s`, in at most `width` columns. */
export function progressBar(title: string, state: ProgressState, width: number): string {
  const share = shareOf(state);
  if (share === undefined || width < LEAST_WIDTH) return fitText(progressText(title, state), width);
  const length = Math.min(LONGEST_BAR, Math.floor(width / 5));
  const full = Math.floor(share * length);
  const bar = '█'.repeat(full) + '░'.repeat(length - full);
  const line = (count: string): string =>
    cleanLine(`${title} ${bar} ${Math.floor(share * 100)} %, ${count}${restOf(state)}`);
  const whole = line(countOf(state));
  return displayWidth(whole) <= width ? whole : fitText(line(countOf({ done: state.done })), width);
}

function countOf({ done, total }: ProgressState): string {
  return total === undefined
    ? done.toLocaleString('en')
    : `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
}

function restOf({ text }: ProgressState): string {
  return text === undefined ? '' : `, ${text}`;
}
