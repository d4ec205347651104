// A running platform without its server: state, clock and open areas.
import { deploymentNames } from './wire/names-edge.ts';
import { type Clock, ownTurn, SLICE_MS, systemClock } from '../kernel/clock.ts';
import { invalidInput, KnownError } from '../kernel/errors.ts';
import { platformAreas } from './areas.ts';
import type { Area, OpenArea, Platform } from './platform/area.ts';
import { openClock } from './base/clock.ts';
import { type Database, openSettings, type StoredSettings } from './base/db.ts';
import { createDirectory } from './platform/auth.ts';
import { openFaults } from './wire/faults.ts';
import type { EmulatorOptions } from './base/embedding.ts';
import { adoptIdentity } from './fixtures/adopt.ts';
import { namesIssues } from '../contract/neutral-words.ts';
import { readFixtures } from './fixtures/document.ts';
import { SAMPLES } from './fixtures/samples.ts';
import { openRequestLog } from './wire/request-log.ts';
import type { Signing } from './platform/signing.ts';
import { createProfiles } from './stores/profiles.ts';
import { createTokens } from './stores/tokens.ts';
import { createIngestGate } from './platform/ingest-gate.ts';

export interface RunningPlatform extends Platform {
  readonly areas: readonly { area: Area; open: OpenArea<Area['endpoints']> }[];
  readonly catchUp: CatchUp;
  resets(): number;
  /** Resets state, clock, log and faults. Tokens stay valid. `after` changes the state before due work runs. */
  reset(after?: () => void): Promise<void>;
  /** Stops all work. The database stays open. */
  close(): Promise<void>;
}

/** Additional options for this program's own commands and tests. */
export interface StartOptions extends Omit<EmulatorOptions, 'fixtures'> {
  /** Fixtures document, checked when the platform opens. */
  fixtures?: unknown;
  /** The machine's clock; tests pass their own. */
  systemClock?: Clock;
}

interface PlatformOptions extends StartOptions {
  signing: Signing;
  systemClock: Clock;
  baseUrl: () => string;
  addressOf: (host: string | undefined) => string;
}

const FIXTURES_KEY = 'fixtures';

/**
 * Opens the platform on a database: creates missing tables and loads the fixtures into new areas. If state exists, the
 * given fixtures define the known clients and workspaces, and the target of `reset`, but do not change the state. Does
 * not run due work. Throws KnownError for invalid fixtures, and for a state from a newer version.
 */
export function openPlatform(db: Database, options: PlatformOptions): RunningPlatform {
  const settings = openSettings(db);
  const versions = platformAreas.map((area) => storedVersion(settings, area));
  return db.transaction(() => {
    const platform = assemble(db, settings, options, () => catchUp.start());
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
      reset: (after) => {
        resets++;
        db.transaction(() => {
          for (const part of [platform.clock, platform.log, platform.faults]) part.clear();
          for (const area of opened) area.load?.(platform.fixtures);
          after?.();
        });
        return catchUp.run();
      },
      close: async () => {
        const stopped = catchUp.stop();
        for (const area of opened) await area.close?.();
        await stopped;
      },
    };
  });
}

function assemble(db: Database, settings: StoredSettings, options: PlatformOptions, wake: () => void): Platform {
  const { identity = {}, names, signing, warehouse, baseUrl, addressOf } = options;
  const clock = openClock(settings, options.systemClock, options.clock);
  const given = readFixtures(options.fixtures ?? settings.get(FIXTURES_KEY) ?? SAMPLES);
  if (options.fixtures !== undefined) settings.set(FIXTURES_KEY, options.fixtures);
  const issues = namesIssues(names ?? {}).map(({ name, message }) => ({ path: name, message }));
  if (issues.length > 0) throw invalidInput('The names map is invalid.', issues);
  const fixtures = adoptIdentity({ ...given, ...(names && { names }) }, identity);
  return {
    db,
    clock,
    fixtures,
    warehouse,
    directory: createDirectory(fixtures, identity),
    tokens: createTokens(db, clock),
    profiles: createProfiles(db),
    ingest: createIngestGate(fixtures.limits, clock),
    log: openRequestLog(db),
    faults: openFaults(settings, Math.random),
    signing,
    names: deploymentNames(fixtures.names),
    emailOf: (name) => `${name}@${fixtures.vendor_domain}`,
    wake,
    audience: identity.audience,
    baseUrl,
    addressOf,
  };
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

type CatchUp = ReturnType<typeof createCatchUp>;

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
