// Limits of areas E and F: body size and requests per second.
import type { PlatformClock } from '../base/clock.ts';
import type { Fixtures } from '../fixtures/document.ts';
import { createRateWindow } from '../wire/rate.ts';
import { refusal } from '../wire/platform-error.ts';

const SECOND_MS = 1000;

/** Areas E and F share one count per workspace (decision: D71). */
export function createIngestGate(limits: Fixtures['limits'], clock: PlatformClock) {
  const { intake_per_second: perSecond, intake_body_bytes: mostBytes = Infinity } = limits;
  const message = 'Provisioned limit exceeded';
  const rate = perSecond === undefined ? undefined : createRateWindow(perSecond, SECOND_MS);
  return {
    /** Counts a request. Throws 429 above the limit. Throws 413 for an oversized body, which does not count. */
    admit: (workspace: number, bytes: number): void => {
      if (bytes > mostBytes) throw refusal(413, `Request body is larger than ${mostBytes} bytes`);
      const seconds = rate?.take(workspace, clock.now());
      if (seconds !== undefined) throw refusal(429, message, { 'retry-after': String(seconds) });
    },
    clear: (): void => rate?.clear(),
  };
}
