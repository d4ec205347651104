// The flags that all bulk runs share: how fast a run goes, and how long it tries.
import { usageError } from '../lib/kernel/errors.ts';
import { parseDuration } from '../lib/kernel/timestamps.ts';
import type { FlagSpec } from '../lib/runtime/command-line/define-command.ts';
import { readCount, readRate } from './flag-values.ts';

/** Requests at once: usually, and at most. */
export const CONCURRENCY = { dsr: { usual: '16', most: 256 }, seeding: { usual: '64', most: 1024 } } as const;

export const giveUpAfter = {
  value: 'dur',
  help: 'end a bulk run after this long without a successful request (default: 10m; 0 is at once)',
} as const satisfies FlagSpec;

const GIVE_UP_AFTER = '10m';

export interface Pace {
  /** Most requests at once. */
  concurrency: number;
  /** Requests a second; undefined is no limit. */
  rate: number | undefined;
  giveUpAfterMs: number;
}

/** `limit` is the profile's own rate, such as `1000/m`. Throws usage (2) that names the flag or the limit. */
export function readPace(
  kind: keyof typeof CONCURRENCY,
  flags: { concurrency?: string; rate?: string; giveUpAfter?: string },
  limit: string | undefined,
): Pace {
  const { usual, most } = CONCURRENCY[kind];
  const { concurrency = usual, giveUpAfter: duration = GIVE_UP_AFTER, rate } = flags;
  const giveUpAfterMs = duration === '0' ? 0 : parseDuration(duration);
  if (giveUpAfterMs === undefined)
    throw usageError(`--give-up-after must be a duration such as 90s, 10m or 2h, or 0, not \`${duration}\`.`);
  return {
    concurrency: readCount('--concurrency', concurrency, most),
    rate: readRate(rate, limit, kind),
    giveUpAfterMs,
  };
}
