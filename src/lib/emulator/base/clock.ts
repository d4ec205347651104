// The platform's time: it follows the machine's at a distance that can be set, or stands still until it is moved.
import type { Clock } from '../../kernel/clock.ts';
import type { StoredSettings } from './settings.ts';

export type ClockMode = 'real' | 'manual';

export type PlatformClock = ReturnType<typeof openClock>;

interface StoredClock {
  mode: ClockMode;
  /** Real: ahead of the machine's clock by this. Manual: the time at which it stands. Milliseconds. */
  value: number;
}

const KEY = 'clock';

/**
 * Opens the clock as it was left; `mode` changes its kind. A clock that stood and is to go again goes on from where it
 * stood when the machine's clock is behind that, so that time does not run backwards by itself.
 */
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
    /** Moves the clock to `time` (epoch ms). A manual clock then stands there; a real one goes on from there. */
    moveTo: (time: number): void =>
      save({ mode: state.mode, value: state.mode === 'real' ? time - system.now() : time }),
    /** Back to the machine's time. */
    reset: (): void => start(state.mode, undefined),
  };
}
