// The control address: clock, faults, log, state and reset. Only programs on this machine may use it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import { METHODS } from '../contract/choices.ts';
import { isLoopback } from '../kernel/address.ts';
import { LAST_TIME } from './base/clock.ts';
import { isoMillis, parseDuration, parseIso } from '../kernel/timestamps.ts';
import { VERSION } from '../kernel/version.ts';
import type { ControlRoutes } from './platform/area.ts';
import { Fault } from './wire/faults.ts';
import { hostName } from './wire/server.ts';
import type { RunningPlatform } from './open-platform.ts';
import { consoleRoutes } from './console.ts';
import { copyState, exportState, importState, type PlatformState, replaceState } from './state.ts';
import { answer, rejection, write } from './wire/platform-error.ts';
import { rejectionAnswer } from './platform/envelopes.ts';
import { CONTROL_PATH, SERVICE_PATHS } from './wire/service-paths.ts';
import { badRequest, checkBody, parseBody, PeerGone, readBody } from './wire/request-body.ts';
import { Age, Time } from './fixtures/schema.ts';

/** Maximum size of a request body, which may contain a whole state. */
const MOST_BYTES = 512 * 1024 * 1024;

/** Maximum number of snapshots; the platform removes older ones. */
const MOST_SNAPSHOTS = 20;

/** Maximum total time to wait for callback receivers while the clock advances. */
const DELIVERY_MS = 10_000;

export type Control = ReturnType<typeof createControl>;

export function createControl(platform: RunningPlatform) {
  const routes: ControlRoutes = { ...ownRoutes(platform), ...consoleRoutes(platform) };
  for (const { open } of platform.areas) Object.assign(routes, open.control);

  const find = (method: string, place: string) => {
    const wanted = `${method} ${place}` as keyof ControlRoutes;
    return Object.hasOwn(routes, wanted) ? routes[wanted] : undefined;
  };

  function unknownCall(method: string, place: string): Error {
    const allow = METHODS.filter((other) => find(other, place)).join(', ');
    if (allow === '') return rejection(404, `no such endpoint: ${method} ${place}`);
    return rejection(405, `Method not allowed: ${method} ${place}; allowed: ${allow}`, { allow });
  }

  async function dispatch(incoming: IncomingMessage, path: string) {
    const body = await readBody(incoming, MOST_BYTES);
    const { method = '', url = '' } = incoming;
    const place = path.slice(CONTROL_PATH.length).replace(/\/$/, '');
    const handle = find(method, place);
    if (!handle) throw unknownCall(method, place);
    const query = new URLSearchParams(url.split('?')[1]);
    return handle(body.length === 0 ? undefined : parseBody(body, badRequest, Infinity), query);
  }

  return async (incoming: IncomingMessage, outgoing: ServerResponse, path: string): Promise<void> => {
    try {
      rejectStrangers(incoming);
      write(outgoing, await dispatch(incoming, path));
    } catch (error) {
      if (!(error instanceof PeerGone)) write(outgoing, rejectionAnswer(error));
    }
  };
}

/**
 * Throws 403 unless the request is from this machine and not from a foreign web page. A browser sends the page's
 * `Origin`, and a page whose own domain points to this machine sends that domain as `Host`.
 */
function rejectStrangers({ headers, socket }: IncomingMessage): void {
  const { host = '', origin } = headers;
  const { remoteAddress: peer = '' } = socket;
  if (peer !== '::1' && !isLoopback(peer.replace('::ffff:', '')))
    throw rejection(403, 'Forbidden: the control address accepts requests only from this machine');
  if (!isLoopback(hostName(host)))
    throw rejection(403, `Forbidden: the control address does not accept the host ${host}`);
  if (origin !== undefined && origin !== `http://${host}`)
    throw rejection(403, 'Forbidden: the request comes from a web page');
}

function ownRoutes(platform: RunningPlatform): ControlRoutes {
  const { clock, faults, log } = platform;
  const snapshots = new Map<number, PlatformState>();
  let last = 0;
  const now = () => answer(200, { now: isoMillis(clock.now()) });
  return {
    'GET /clock': now,
    'POST /clock': async (body) => {
      clock.moveTo(wantedTime(checkBody(ClockMove, body), clock.now()));
      await platform.catchUp.run(DELIVERY_MS);
      return now();
    },
    'POST /reset': () => platform.reset().then(now),
    'GET /faults': () => answer(200, faults.list()),
    'POST /faults': (body) => {
      const fault = checkBody(Fault, body);
      faults.add(fault);
      return answer(201, fault);
    },
    'DELETE /faults': (body) => {
      if (body === undefined) faults.clear();
      else if (!faults.remove(checkBody(Fault, body))) {
        throw rejection(404, 'Not found: no active fault is identical to this one');
      }
      return answer(200, faults.list());
    },
    'GET /requests': (_body, query) =>
      answer(200, query.get('bodies') === 'true' ? log.recorded(Number(query.get('after') ?? 0)) : log.list()),
    'GET /state': () => answer(200, exportState(platform)),
    'POST /state': (body) => importState(platform, body).then(now),
    'POST /snapshots': () => {
      snapshots.set(++last, copyState(platform));
      snapshots.delete(last - MOST_SNAPSHOTS);
      return answer(201, { id: last });
    },
    'POST /snapshots/restore': (body) => {
      const { id } = checkBody(SnapshotId, body);
      const state = snapshots.get(id);
      if (!state) throw rejection(404, `Not found: snapshot ${id}; only the newest ${MOST_SNAPSHOTS} are kept`);
      return replaceState(platform, state).then(now);
    },
    'GET /openapi.json': async () => {
      const { openApiDocument } = await import('../contract/openapi.ts');
      const url = platform.baseUrl();
      const addresses = Object.entries(SERVICE_PATHS).map(([service, path]) => [service, url + path]);
      return answer(200, openApiDocument(VERSION, Object.fromEntries(addresses) as never));
    },
  };
}

const SnapshotId = z.strictObject({ id: z.int() });

const ClockMove = z.strictObject({ advance: z.optional(Age), set: z.optional(Time) });

function wantedTime({ advance, set }: { advance?: string | undefined; set?: string | undefined }, now: number): number {
  if ((advance === undefined) === (set === undefined)) throw badRequest('pass either advance or set');
  const time = set === undefined ? now + (parseDuration(advance ?? '') ?? 0) : parseIso(set);
  if (time === undefined || time < 0 || time > LAST_TIME) throw badRequest('the time must be between 1970 and 9999');
  return time;
}
