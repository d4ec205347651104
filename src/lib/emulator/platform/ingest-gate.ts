// How much E and F take in: the size of a body, and requests a second.
import type { PlatformClock } from '../base/clock.ts';
import type { DirectoryFixtures } from '../fixtures/directory.ts';
import { createRateWindow } from '../wire/rate.ts';
import { codedRefusal } from './envelopes.ts';

export type IngestGate = ReturnType<typeof createIngestGate>;

const SECOND_MS = 1000;

/** E and F share one count per workspace (decision: D71). */
export function createIngestGate(limits: DirectoryFixtures['limits'], clock: PlatformClock) {
  const { intake_per_second: perSecond, intake_body_bytes: mostBytes = Infinity } = limits;
  const message = 'Provisioned limit exceeded';
  // Nothing to bring back from an earlier run: it is longer ago than a second.
  const rate = perSecond === undefined ? undefined : createRateWindow(perSecond, { span: SECOND_MS });
  return {
    /** Counts a request. Throws 413 for a body that is too large, which does not count, and 429 beyond the limit. */
    admit: (workspace: number, bytes: number): void => {
      if (bytes > mostBytes) throw codedRefusal(413, `Request body is larger than ${mostBytes} bytes`);
      const seconds = rate?.take(workspace, clock.now());
      if (seconds !== undefined) throw codedRefusal(429, message, { 'retry-after': String(seconds) });
    },
    clear: (): void => rate?.clear(),
  };
}
