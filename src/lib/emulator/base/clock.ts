// The platform's clock: in real mode, the machine's clock plus an offset; in manual mode, a time set on request.
import type { Clock } from '../../kernel/clock.ts';
import type { StoredSettings } from './db.ts';

export type ClockMode = 'real' | 'manual';

export type PlatformClock = ReturnType<typeof openClock>;

interface StoredClock {
  mode: ClockMode;
  /** Milliseconds. In real mode, the offset from the machine's clock; in manual mode, the time itself. */
  value: number;
}

/** The end of the year 9999: later years have more than four digits. */
export const LAST_TIME = Date.UTC(10_000, 0) - 1;

const KEY = 'clock';

/** `mode` changes the mode. A manual clock that becomes real stays ahead, so that time does not go backward. */
export function openClock(settings: StoredSettings, system: Clock, mode: ClockMode | undefined) {
  const stored = settings.get<StoredClock>(KEY);
  let state = stored ?? { mode: mode ?? 'real', value: 0 };
  if (!stored || (mode && mode !== stored.mode)) start(mode ?? 'real', stored);

  function start(kind: ClockMode, before: StoredClock | undefined): void {
    const offset = !before ? 0 : before.mode === 'real' ? before.value : Math.max(0, before.value - system.now());
    save({ mode: kind, value: kind === 'real' ? offset : system.now() + offset });
  }

  function save(next: StoredClock): void {
    state = next;
    settings.set(KEY, next);
  }

  return {
    mode: state.mode,
    /** Epoch milliseconds. */
    now: (): number => (state.mode === 'real' ? system.now() + state.value : state.value),
    /** Returns how far a real clock is ahead of the machine's clock, in milliseconds; 0 for a manual clock. */
    ahead: (): number => (state.mode === 'real' ? state.value : 0),
    /** Sets the clock to `time` (epoch ms): a manual clock stays there; a real clock continues from there. */
    moveTo: (time: number): void =>
      save({ mode: state.mode, value: state.mode === 'real' ? time - system.now() : time }),
    /** Sets the clock to the machine's time. */
    clear: (): void => start(state.mode, undefined),
  };
}
