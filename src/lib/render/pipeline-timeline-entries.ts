// Entries of a page about a pipeline's runs, one per run or day, and the scale of its chart.
import type { RunReply } from '../contract/pipeline-runs.ts';
import { recordsOf, startOf, STATUSES, statusCounts } from '../domain/warehouse/runs.ts';
import { grouped } from '../kernel/words.ts';
import { parseIso } from '../kernel/timestamps.ts';
import { errorsText } from './warehouse.ts';

/** Sign and CSS class of each status. */
const TONES: Readonly<Record<string, { sign: string; tone: Tone }>> = {
  success: { sign: '✓', tone: 'good' },
  failed: { sign: '✗', tone: 'bad' },
  stopped: { sign: '■', tone: 'halted' },
  running: { sign: '▶', tone: 'going' },
  queued: { sign: '…', tone: 'going' },
  retrying: { sign: '↻', tone: 'going' },
};
type Tone = 'good' | 'warn' | 'bad' | 'halted' | 'going';

/** A column of the chart and a row of the table: a run, or all runs of a day. */
export interface Entry {
  id: string;
  sign: string;
  tone: Tone;
  word: string;
  successful: number;
  failed: number;
  /** Start in milliseconds since the epoch; undefined if unknown. */
  at: number | undefined;
  /** Errors of a run, or a day's number of runs by status. */
  text: string;
  /** Share of a day's runs that did not succeed; undefined for a run. */
  share?: number;
}

export function toneOf(status: string | null | undefined): { sign: string; tone: Tone; word: string } {
  const known = Object.hasOwn(TONES, status ?? '') ? TONES[status ?? ''] : undefined;
  return { ...(known ?? { sign: '?', tone: 'halted' }), word: status ?? 'unknown' };
}

export function entryOf(run: RunReply): Entry {
  const text = errorsText(run.errors);
  return { id: String(run.id), ...toneOf(run.status), ...recordsOf(run), at: startMs(run), text };
}

/** A day gets the worst status of its runs. If one of its runs succeeded, the day is at worst a warning. */
export function dayEntry([day, runs]: [string, RunReply[]]): Entry {
  const [, ...others] = STATUSES;
  const status = others.find((word) => runs.some((run) => run.status === word)) ?? runs[0]?.status;
  const count = runs.filter((run) => run.status === status).length;
  const { sign, tone, word } = toneOf(status);
  const isMixed = runs.some((run) => run.status === 'success') && (tone === 'bad' || tone === 'halted');
  return {
    id: day,
    sign,
    tone: isMixed ? 'warn' : tone,
    word: count === runs.length ? word : `${grouped(count)} of ${grouped(runs.length)} ${word}`,
    successful: sum(runs.map((run) => recordsOf(run).successful)),
    failed: sum(runs.map((run) => recordsOf(run).failed)),
    at: parseIso(`${day}T00:00:00Z`),
    text: statusCounts(runs),
    share: runs.filter(isBad).length / runs.length,
  };
}

export function isBad({ status }: RunReply): boolean {
  return status === 'failed' || status === 'stopped';
}

export function startMs(run: RunReply): number | undefined {
  return parseIso(startOf(run));
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Rounds up to a number whose half has a short decimal form. */
export function ceiling(count: number): number {
  const power = 10 ** Math.floor(Math.log10(count));
  return ([1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8].find((step) => step * power >= count) ?? 10) * power;
}

/** Returns half of the scale's maximum; empty if that is not a whole number. */
export function halfOf(top: number): string {
  return top % 2 === 0 ? short(top / 2) : '';
}

/** Formats a count as `500`, `2.5k` or `10M`. */
export function short(count: number): string {
  const [size, letter] = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
    [1, ''],
  ].find(([least]) => count >= Number(least)) ?? [1, ''];
  return `${count / Number(size)}${letter}`;
}
