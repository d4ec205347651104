// Shows the progress of a running operation on one line. On a terminal, the line includes a bar if the total is known.
import { counted, grouped } from '../kernel/words.ts';
import { formatDuration } from '../kernel/timestamps.ts';
import { cleanLine } from './clean.ts';
import { displayWidth, fitText } from './width.ts';

export interface ProgressState {
  done: number;
  total?: number;
  /** What is counted, in the plural. */
  unit?: string;
  /** Completed fraction from 0 to 1, if there is no total. */
  share?: number;
  text?: string;
  /** The part of `text` that a pause does not change. */
  outcomes?: string;
  elapsedMs?: number;
}

/** Rates are measured over this time, so that they do not include an earlier outage. */
const WINDOW_MS = 60_000;
const SAMPLE_MS = 1000;

interface Reached {
  completed: number;
  ms: number;
  /** Fraction of the run completed in `ms`, from 0 to 1; undefined if the total is unknown. */
  share: number | undefined;
}

/** Describes a bulk run as data and as text. `before`, from earlier runs, does not count toward the rate. */
export function createBulkFacts(before: Pick<Reached, 'completed' | 'ms'> = { completed: 0, ms: 0 }) {
  const recent: Reached[] = [];
  let pace: ReturnType<typeof paceOf> | undefined;

  return ({
    rejected,
    requests,
    retries,
    ...reached
  }: Reached & Record<'rejected' | 'requests' | 'retries', number>) => {
    const { ms, share } = reached;
    while (recent[0] && ms - recent[0].ms > WINDOW_MS) recent.shift();
    // Keep the previous rate for the first second after an outage.
    if (recent[0] && ms - recent[0].ms >= SAMPLE_MS) pace = paceOf(reached, recent[0]);
    if (ms - (recent.at(-1)?.ms ?? -Infinity) >= SAMPLE_MS) recent.push(reached);
    const from = { ...before, share: ((share ?? 0) * before.completed) / (reached.completed || 1) };
    const { perSecond, sharePerSecond } = pace ?? paceOf(reached, from);
    const seconds = share === undefined ? NaN : Math.round((1 - share) / sharePerSecond);
    const secondsLeft = Number.isFinite(seconds) ? seconds : undefined;
    const rate = perSecond < 10 ? perSecond.toFixed(1) : grouped(perSecond);
    const outcomes = [
      ...(rejected > 0 ? [`${grouped(rejected)} rejected`] : []),
      ...(retries > 0 ? [counted(retries, 'retry', 'retries')] : []),
    ];
    const left = secondsLeft ? [`${formatDuration(secondsLeft * 1000)} left`] : [];
    return {
      unit: 'rows',
      text: [`${rate} rows/s`, ...left, ...outcomes].join(', '),
      outcomes: outcomes.join(', '),
      isPassing: true,
      data: { requests, rejected, retries, rows_per_second: Math.round(perSecond), seconds_left: secondsLeft ?? null },
    };
  };
}

function paceOf(to: Reached, from: Reached) {
  const seconds = (to.ms - from.ms) / 1000;
  const per = (amount: number): number => (seconds > 0 ? amount / seconds : 0);
  return {
    perSecond: per(to.completed - from.completed),
    sharePerSecond: per((to.share ?? 0) - (from.share ?? 0)),
  };
}

/** Minimum width of a line with a bar, and maximum length of the bar. */
const LEAST_WIDTH = 50;
const LONGEST_BAR = 24;

/** Returns a fraction from 0 to 1; undefined if the total is unknown. */
export function shareOf({ done, total, share }: ProgressState): number | undefined {
  const known = share ?? (total ? done / total : undefined);
  return known === undefined ? undefined : Math.min(1, Math.max(0, known));
}

/** Returns text such as `Sending: 1 of 4 (25%), 3s elapsed, 12 rows/s`. */
export function progressText(title: string, state: ProgressState): string {
  const share = shareOf(state);
  const percent = share === undefined ? '' : ` (${Math.floor(share * 100)}%)`;
  return cleanLine(`${title}: ${countOf(state)}${percent}${restOf(state)}`);
}

/** Returns a line such as `Sending ████░░░░░░░░ 25%, 1 of 4, 3s elapsed, 12 rows/s`, in at most `width` columns. */
export function progressBar(title: string, state: ProgressState, width: number): string {
  const share = shareOf(state);
  if (share === undefined || width < LEAST_WIDTH) return fitParts(progressText(title, state), width);
  const length = Math.min(LONGEST_BAR, Math.floor(width / 5));
  const full = Math.floor(share * length);
  const bar = '█'.repeat(full) + '░'.repeat(length - full);
  const line = (count: string): string =>
    cleanLine(`${title} ${bar} ${Math.floor(share * 100)}%, ${count}${restOf(state)}`);
  const whole = line(countOf(state));
  return displayWidth(whole) <= width ? whole : fitParts(line(countOf({ ...state, total: undefined })), width);
}

/** Returns the reason for a pause, and the progress if it is known. If the line is too long, the reason comes first. */
export function waitBar(title: string, why: string, state: ProgressState, width: number): string {
  const reason = cleanLine(`${title}: ${why}`);
  if (shareOf(state) === undefined) return fitParts(reason, width);
  const so = restOf({ ...state, text: state.outcomes ?? '' });
  const bar = progressBar(title, { ...state, elapsedMs: 0, text: why + so }, width);
  return bar.includes(why + so) ? bar : fitParts(`${reason}, ${countOf(state)} done${so}`, width);
}

/** Drops whole parts from the end: a truncated number would be read as a different one. */
function fitParts(text: string, width: number): string {
  const end = displayWidth(text) > width ? Math.max(text.lastIndexOf(', '), text.lastIndexOf(' (')) : -1;
  return end < 0 ? fitText(text, width) : fitParts(text.slice(0, end), width);
}

function countOf({ done, total, unit = '' }: ProgressState): string {
  if (total === undefined && done === 1) return `1 ${unit.replace(/s$/, '')}`.trimEnd();
  return `${grouped(done)}${total === undefined ? '' : ` of ${grouped(total)}`} ${unit}`.trimEnd();
}

function restOf({ elapsedMs = 0, text }: ProgressState): string {
  const elapsed = elapsedMs < 1000 ? '' : `, ${formatDuration(Math.floor(elapsedMs / 1000) * 1000)} elapsed`;
  return elapsed + (text ? `, ${text}` : '');
}
