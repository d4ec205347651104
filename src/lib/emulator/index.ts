// Starts the embedded platform: the services of the specification on one port, in this process.
import { join } from 'node:path';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { platformAreas } from './areas.ts';
import type { ClockMode } from './clock.ts';
import { createControl } from './control.ts';
import { describeReady } from './describe-ready.ts';
import { type Database, openDatabase } from './db.ts';
import { createExchange } from './exchange.ts';
import { type OwnedFolder, ownFolder } from './folder.ts';
import { openPlatform, type RunningPlatform } from './platform.ts';
import type { EmulatorReady } from './ready.ts';
import { PeerGone } from './request-body.ts';
import { createRouter } from './router.ts';
import type { SeenExchange } from './seen-exchange.ts';
import { listen } from './server.ts';
import { openSigning } from './signing.ts';

export type { EmulatorReady } from './ready.ts';

export interface EmulatorOptions {
  /** Default `127.0.0.1`. */
  host?: string;
  /** Default 0: a free one. */
  port?: number;
  /** The folder that keeps the state. Without one the state is in memory. */
  data?: string;
  /**
   * The folder of the authority that the platform's certificate is from, so that several platforms can share one.
   * Default: one inside `data`, or none.
   */
  authority?: string;
  /** Keep the state in memory, whatever `data` says. */
  memory?: boolean;
  /** A fixtures document as parsed from YAML or JSON. Default: the specification's samples, or what `data` began with. */
  fixtures?: unknown;
  /** The warehouse file that pipelines read, where the fixtures name none. */
  warehouse?: string;
  /** Neutral word -> the word used on the wire; goes before the fixtures' `names`. */
  names?: Record<string, string>;
  /** `real` goes with the machine's clock, `manual` stands until it is moved. Default: as `data` was left, else `real`. */
  clock?: ClockMode;
  /** The machine's clock; tests pass another. */
  systemClock?: Clock;
  /** Told of every exchange before its answer is sent; what faults answer is left out. */
  onExchange?: (seen: SeenExchange) => void;
}

export interface Emulator {
  /** `http://host:port` */
  url: string;
  /** Base of the control address. */
  control: string;
  ready: EmulatorReady;
  port: number;
  /** Back to the fixtures. */
  reset(): Promise<void>;
  /** Ends open connections, keeps what is unwritten and frees the data folder. */
  close(): Promise<void>;
}

const FLUSH_MS = 200;

/** How often a clock that goes by itself is looked at for what has fallen due. */
const TICK_MS = 250;

/** A start waits this long, in the machine's own time, for what the clock owes since the last run; the rest is done while requests come in. */
const OVERDUE_MS = 2000;

/**
 * Starts the platform and resolves once it answers. Throws CliError: invalid fixtures (exit 9), a folder or port that
 * is taken (exit 6), a state that cannot be read (exit 1).
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const folder = options.data === undefined || options.memory === true ? undefined : ownFolder(options.data);
  let db: Database | undefined;
  try {
    db = await openDatabase(folder?.databasePath);
    return await serve(options, db, folder);
  } catch (error) {
    db?.close();
    folder?.release();
    throw error;
  }
}

async function serve(options: EmulatorOptions, db: Database, folder: OwnedFolder | undefined): Promise<Emulator> {
  const system = options.systemClock ?? systemClock;
  const closing = new AbortController();
  const signing = await openSigning(options.authority ?? (folder && join(folder.path, 'authority')));
  let url = '';
  const platform = openPlatform(db, {
    areas: platformAreas,
    fixtures: options.fixtures,
    names: options.names,
    warehouse: options.warehouse,
    signing,
    clock: options.clock,
    systemClock: system,
    baseUrl: () => url,
  });
  const exchange = createExchange(platform, (ms) => system.sleep(ms, closing.signal), options.onExchange);
  const router = await createRouter(platform.areas, exchange, createControl(platform));
  const server = await listen(router, options.host ?? '127.0.0.1', options.port ?? 0);
  url = server.url;
  folder?.announce(server.port);
  const stopTimers = startTimers(platform);
  await Promise.race([platform.catchUp.run(), systemClock.sleep(OVERDUE_MS, closing.signal).catch(() => undefined)]);
  const ready = describeReady(url, platform.fixtures, signing.caFile);

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    // Requests that a fault holds up end as their connections do.
    closing.abort(new PeerGone());
    stopTimers();
    await platform.close();
    await server.close();
    platform.log.flush();
    db.close();
    folder?.release();
  }
  return {
    url,
    control: ready.control_url,
    ready,
    port: server.port,
    reset: platform.reset,
    close: () => (closed ??= close()),
  };
}

/** Writes the request log now and then, and does what falls due as time goes by. Returns what ends that. */
function startTimers({ log, clock, catchUp }: RunningPlatform): () => void {
  const timers = [setInterval(log.flush, FLUSH_MS)];
  if (clock.mode === 'real') {
    timers.push(
      setInterval(() => {
        if (!catchUp.busy()) void catchUp.run();
      }, TICK_MS),
    );
  }
  for (const timer of timers) timer.unref();
  return () => {
    timers.forEach(clearInterval);
  };
}
