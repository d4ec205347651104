// A running platform without its server: state, clock and open areas.
import { ownTurn, SLICE_MS, systemClock } from '../kernel/clock.ts';
import { KnownError } from '../kernel/errors.ts';
import { platformAreas } from './areas.ts';
import { type Database, openSettings, type StoredSettings } from './base/db.ts';
import { type Area, type OpenArea, openEnvironment, type PlatformOptions } from './platform/area.ts';

export type RunningPlatform = Readonly<ReturnType<typeof openPlatform>>;

/**
 * Opens the platform on a database: creates missing tables and loads the fixtures into new areas. If state exists, the
 * given fixtures define the known clients and workspaces, and the target of `reset`, but do not change the state. Does
 * not run due work. Throws KnownError for invalid fixtures, and for a state from a newer version.
 */
export function openPlatform(db: Database, options: PlatformOptions) {
  const settings = openSettings(db);
  const versions = platformAreas.map((area) => storedVersion(settings, area));
  return db.transaction(() => {
    const platform = openEnvironment(db, settings, options, () => catchUp.start());
    const areas = platformAreas.map((area, index) => {
      const version = versions[index] ?? 0;
      // A new database needs no upgrades, which would take as long as creating the tables.
      for (const step of area.migrations.slice(version, version === 0 ? 1 : undefined)) db.exec(step);
      if (version !== area.migrations.length) settings.set(versionKey(area), area.migrations.length);
      return { area, open: area.open(platform) };
    });
    areas.forEach(({ open }, index) => {
      if (versions[index] === 0) open.load?.(platform.fixtures);
    });
    const opened = areas.map(({ open }) => open);
    const catchUp = createCatchUp(opened, platform.clock.now);
    let resets = 0;
    return {
      ...platform,
      areas,
      catchUp,
      resets: () => resets,
      /** Resets state, clock, log and faults. Tokens stay valid. `after` changes the state before due work runs. */
      reset: (after?: () => void): Promise<void> => {
        resets++;
        db.transaction(() => {
          for (const part of [platform.clock, platform.log, platform.faults]) part.clear();
          for (const area of opened) area.load?.(platform.fixtures);
          after?.();
        });
        return catchUp.run();
      },
      /** Stops all work. The database stays open. */
      close: async (): Promise<void> => {
        const stopped = catchUp.stop();
        for (const area of opened) await area.close?.();
        await stopped;
      },
    };
  });
}

function versionKey(area: Area): string {
  return `version:${area.name}`;
}

function storedVersion(settings: StoredSettings, area: Area): number {
  const version = settings.get<number>(versionKey(area)) ?? 0;
  if (version <= area.migrations.length) return version;
  throw new KnownError({
    code: 'emulator.newer',
    message: `The state of the embedded platform was written by a newer version of this program (area ${area.name}).`,
    hint: 'Use that version, or another folder.',
  });
}

/** After this time without a response, the clock stops waiting for receivers. */
const SILENCE_MS = 1000;

/** The methods of an area that do due work; see `OpenArea`. */
type Scheduled = Pick<OpenArea<Area['endpoints']>, 'nextDue' | 'catchUp' | 'sent'>;

/** `now` returns the platform's time in epoch milliseconds. */
export function createCatchUp(areas: readonly Scheduled[], now: () => number) {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  let stopped = false;

  async function round(patienceMs: number): Promise<void> {
    let since = systemClock.now();
    let left = patienceMs;
    const work = async (area: Scheduled, at: number): Promise<void> => {
      await area.catchUp?.(at, left > 0);
      const begun = systemClock.now();
      if (left > 0) await area.sent?.(Math.min(left, SILENCE_MS));
      const took = systemClock.now() - begun;
      left = took < SILENCE_MS ? left - took : 0;
    };
    for (;;) {
      if (systemClock.now() - since >= SLICE_MS) {
        await ownTurn();
        since = systemClock.now();
      }
      if (stopped) return;
      const until = now();
      const dues = areas.map((area) => ({ area, at: area.nextDue?.() ?? Infinity }));
      const none: { area?: Scheduled; at: number } = { at: Infinity };
      const { area, at } = dues.reduce((one, due) => (due.at < one.at ? due : one), none);
      if (at > until) {
        for (const other of areas) if (!other.nextDue) await work(other, until);
        return;
      }
      // An area without `nextDue` catches up whenever another area has done some work.
      for (const other of areas) if (other === area || !other.nextDue) await work(other, at);
    }
  }

  /** Runs all due work, also in other threads. Waits at most `patienceMs` for messages; the rest is sent later. */
  function run(patienceMs = 0): Promise<void> {
    waiting++;
    const next = last.then(() => round(patienceMs)).finally(() => waiting--);
    // A failure rejects only this round; the next round starts anyway.
    last = next.catch(() => undefined);
    return next;
  }

  return {
    run,
    /** Runs due work in the background. Ignores errors: the failed work stays due, and the next round retries it. */
    start: (): void => {
      run().catch(() => undefined);
    },
    /** True while a round runs or is queued. */
    busy: (): boolean => waiting > 0,
    /** Stops the work. Resolves once the current round has ended. */
    stop: (): Promise<void> => {
      stopped = true;
      return last;
    },
  };
}
