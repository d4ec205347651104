// Starts the embedded platform: the services of the specification on one port, in this process.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { extensionKey } from '../contract/dsr.ts';
import { isCertifiable, isLoopback } from '../kernel/address.ts';
import { systemClock, waitAtMost } from '../kernel/clock.ts';
import { cannotRead, invalidInput, isAbsent, KnownError, usageError } from '../kernel/errors.ts';
import { type Database, openDatabase } from './base/db.ts';
import type { Emulator, EmulatorReady } from './base/embedding.ts';
import { connectEmulator } from './client.ts';
import { createControl } from './control.ts';
import { type OwnedFolder, ownFolder } from './folder.ts';
import { openPlatform, type RunningPlatform } from './open-platform.ts';
import type { StartOptions } from './platform/area.ts';
import { createExchange } from './platform/exchange.ts';
import { openSigning } from './platform/signing.ts';
import { controlOnly, createRouter } from './router.ts';
import { PeerGone } from './wire/request-body.ts';
import { listen } from './wire/server.ts';
import { CONTROL_PATH, SERVICE_PATHS } from './wire/service-paths.ts';

export type { Emulator, EmulatorOptions, EmulatorReady } from './base/embedding.ts';
export type { StartOptions } from './platform/area.ts';

const SQLITE_HEADER = Buffer.from('SQLite format 3\0');

/** Interval at which the platform writes its log and checks for due work. */
const TICK_MS = 250;

/** Maximum time that startup waits for overdue work. The platform does the rest while it serves requests. */
const OVERDUE_MS = 2000;

/** Resolves once the platform responds. Throws for invalid fixtures, unreadable files, and a folder or port in use. */
export async function startEmulator(options: StartOptions = {}): Promise<Emulator> {
  if (options.warehouse !== undefined) assertWarehouse(options.warehouse);
  checkNames(options);
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

function isAddress(value: string): boolean {
  // Check for line breaks and tabs, which URL parsing ignores.
  if (/\s/.test(value) || !URL.canParse(value)) return false;
  const { protocol, search, hash, username, password } = new URL(value);
  return ['http:', 'https:'].includes(protocol) && [search, hash, username, password].every((part) => part === '');
}

/** Throws a usage error for an invalid domain or address, or if other machines could reach an `anySecret` platform. */
function checkNames({ host = '127.0.0.1', identity, publicUrl }: StartOptions): void {
  if (publicUrl !== undefined && !isAddress(publicUrl)) {
    throw usageError(`The public address must be like https://platform.example:4010, not ${publicUrl}.`);
  }
  const domain = identity?.vendorDomain;
  if (domain !== undefined && !isCertifiable(extensionKey(domain))) {
    const hint = 'Pass a lowercase domain name of at most 56 characters.';
    throw usageError(`${JSON.stringify(domain)} is not a vendor domain such as cdp.example.`, hint);
  }
  if (identity?.anySecret !== true || isLoopback(host) || host === '::1') return;
  throw usageError(
    `The platform accepts any secret for the copied deployment, so it cannot listen on ${host}.`,
    'Listen on 127.0.0.1, or pass your own ids and credentials as fixtures.',
  );
}

/** Rejects an unusable file at startup: a later error would blame a connection's credentials. */
function assertWarehouse(file: string): void {
  const head = Buffer.alloc(SQLITE_HEADER.length);
  let length = 0;
  try {
    if (!statSync(file).isFile()) throw usageError(`Cannot read ${file}: it is not a file.`);
    const descriptor = openSync(file, 'r');
    length = readSync(descriptor, head);
    closeSync(descriptor);
  } catch (error) {
    throw isAbsent(error) ? usageError(`Cannot read ${file}: no such file.`) : cannotRead(file, error);
  }
  // SQLite reads an empty file as a database without tables.
  if (length === 0 || head.equals(SQLITE_HEADER)) return;
  throw invalidInput(`${file} is not a SQLite database.`, []);
}

async function serve(options: StartOptions, db: Database, folder: OwnedFolder | undefined): Promise<Emulator> {
  const system = options.systemClock ?? systemClock;
  const closing = new AbortController();
  const signing = await openSigning(options.authority ?? (folder && join(folder.path, 'authority')), options.tls?.cert);
  let url = '';
  const publicUrl = options.publicUrl?.replace(/\/$/, '');
  const scheme = options.tls === undefined ? 'http' : 'https';
  const platform = openPlatform(db, {
    ...options,
    signing,
    systemClock: system,
    baseUrl: () => publicUrl ?? url,
    addressOf: (host = '') => publicUrl ?? `${scheme}://${host}`,
  });
  const exchange = createExchange(platform, (ms) => system.sleep(ms, closing.signal));
  const control = createControl(platform);
  const router = await createRouter(platform.areas, exchange, control);
  const host = options.host ?? '127.0.0.1';
  const server = await listen(router, host, options.port ?? 0, { publicUrl, tls: options.tls });
  // The control address uses plain http, so that its clients do not need the certificate authority.
  const controlServer = options.tls && (await listen(controlOnly(control), '127.0.0.1', 0));
  url = server.url;
  const timer = startTimer(platform);
  await waitAtMost(platform.catchUp.run(), OVERDUE_MS, systemClock);
  const controlUrl = (controlServer ?? server).url + CONTROL_PATH;
  const ready = { ...describeReady(platform, signing.caFile, controlUrl), listen_url: url };

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    // Ends requests delayed by a fault.
    closing.abort(new PeerGone());
    clearInterval(timer);
    await platform.close();
    await Promise.all([server.close(), controlServer?.close()]);
    platform.log.flush();
    db.close();
    folder?.release();
  }
  return {
    ...connectEmulator(ready.control_url),
    url,
    control: ready.control_url,
    ready,
    port: server.port,
    reset: async () => {
      const hint = 'Start another one with startEmulator.';
      if (closed) throw new KnownError({ code: 'emulator.none', message: 'This embedded platform was closed.', hint });
      await platform.reset();
    },
    close: () => (closed ??= close()),
  };
}

/** Regularly writes the request log and, with a real clock, processes due work. */
function startTimer({ clock, catchUp, log }: RunningPlatform): NodeJS.Timeout {
  return setInterval(() => {
    log.flush();
    if (clock.mode === 'real' && !catchUp.busy()) catchUp.start();
  }, TICK_MS).unref();
}

function describeReady(
  { baseUrl, fixtures }: RunningPlatform,
  ca_file: string,
  control_url: string,
): Omit<EmulatorReady, 'listen_url'> {
  const { organizations, accounts, workspaces, vendor_domain } = fixtures;
  const url = baseUrl();
  const [organization] = organizations;
  const account = accounts.find(({ org_id }) => org_id === organization.id) ?? accounts[0];
  const workspace = workspaces.find(({ account_id }) => account_id === account.id) ?? workspaces[0];
  return {
    base_url: url + SERVICE_PATHS.base,
    auth_url: url + SERVICE_PATHS.auth,
    dsr_base_url: url + SERVICE_PATHS.dsr,
    seeding_url: url + SERVICE_PATHS.seeding,
    identity_url: url + SERVICE_PATHS.identity,
    vendor_domain,
    org_id: organization.id,
    account_id: account.id,
    workspace_id: workspace.id,
    client_id: organization.client_id,
    client_secret: organization.client_secret,
    workspace_key: workspace.key,
    workspace_secret: workspace.secret,
    control_url,
    ca_file,
    console_url: `${control_url}/ui`,
  };
}
