// The control address: clock, faults, log and reset, for the person at this machine and for nobody else.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { check, int, optional, strictObject, string } from 'zod/mini';
import { isLoopback } from '../kernel/address.ts';
import { isoMillis, parseDuration, parseIso } from '../kernel/timestamps.ts';
import { VERSION } from '../kernel/version.ts';
import type { ControlRoute } from './platform/area.ts';
import { Fault } from './wire/faults.ts';
import { hostName } from './wire/own-host.ts';
import type { RunningPlatform } from './open-platform.ts';
import { copyState, exportState, PlatformState, replaceState } from './state.ts';
import { type Answer, answer, refusal, refusalAnswer } from './wire/platform-error.ts';
import { CONTROL_PATH, SERVICE_PATHS } from './wire/service-paths.ts';
import { checkBody, parseBody, PeerGone, readBody } from './wire/request-body.ts';
import { write } from './wire/platform-error.ts';

const BAD_REQUEST = 'Bad request';

/** A state can be large. */
const MOST_BYTES = 512 * 1024 * 1024;

/** Older ones are dropped. */
const MOST_SNAPSHOTS = 20;

/** Answers one request below the control address. */
export type Control = (incoming: IncomingMessage, outgoing: ServerResponse, path: string) => Promise<void>;

export function createControl(platform: RunningPlatform): Control {
  const routes = [...ownRoutes(platform), ...platform.areas.flatMap(({ open }) => open.control ?? [])];

  function dispatch({ method, url = '' }: IncomingMessage, path: string, body: Buffer): Answer | Promise<Answer> {
    const wanted = path.slice(CONTROL_PATH.length).replace(/\/$/, '');
    const route = routes.find((candidate) => candidate.method === method && candidate.path === wanted);
    if (!route) throw refusal(404, `Not found: ${String(method)} ${wanted} is no call of the control address`);
    const refuse = (detail: string): Error => refusal(400, `${BAD_REQUEST}: ${detail}`);
    const query = new URLSearchParams(url.split('?')[1]);
    return route.handle(body.length === 0 ? undefined : parseBody(body, refuse, Infinity), query);
  }

  return async (incoming, outgoing, path) => {
    try {
      refuseStrangers(incoming);
      write(outgoing, await dispatch(incoming, path, await readBody(incoming, MOST_BYTES)));
    } catch (error) {
      if (!(error instanceof PeerGone)) write(outgoing, refusalAnswer(error));
    }
  };
}

/**
 * Only from this machine, and not from a web page: a browser sends the page's `Origin`, and a page that had its own
 * name point here sends that name as `Host`.
 */
function refuseStrangers({ headers, socket }: IncomingMessage): void {
  const { host = '', origin } = headers;
  if (!isOwnAddress(socket.remoteAddress ?? ''))
    throw refusal(403, 'Forbidden: the control address is for this machine');
  if (!isLoopback(hostName(host))) {
    throw refusal(403, `Forbidden: the control address is not known as ${host}`);
  }
  if (origin !== undefined && origin !== `http://${host}`)
    throw refusal(403, 'Forbidden: the request comes from a web page');
}

function isOwnAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}

function ownRoutes(platform: RunningPlatform): ControlRoute[] {
  const { clock, faults, log, recorder } = platform;
  const now = (): Answer => answer(200, { now: isoMillis(clock.now()) });
  return [
    { method: 'GET', path: '/clock', handle: now },
    {
      method: 'POST',
      path: '/clock',
      handle: async (body) => {
        clock.moveTo(wantedTime(checkBody(ClockMove, body, BAD_REQUEST), clock.now()));
        await platform.catchUp.run();
        return now();
      },
    },
    {
      method: 'POST',
      path: '/reset',
      handle: async () => {
        await platform.reset();
        return now();
      },
    },
    { method: 'GET', path: '/faults', handle: () => answer(200, faults.list()) },
    {
      method: 'POST',
      path: '/faults',
      handle: (body) => {
        const fault = checkBody(Fault, body, BAD_REQUEST);
        faults.add(fault);
        return answer(201, fault);
      },
    },
    {
      method: 'DELETE',
      path: '/faults',
      handle: () => {
        faults.clear();
        return answer(200, []);
      },
    },
    {
      method: 'GET',
      path: '/requests',
      handle: (_body, query) =>
        answer(200, query.get('bodies') === 'true' ? recorder.list(Number(query.get('after') ?? 0)) : log.list()),
    },
    ...stateRoutes(platform, now),
    { method: 'GET', path: '/openapi.json', handle: () => openApi(platform.baseUrl()) },
  ];
}

function stateRoutes(platform: RunningPlatform, now: () => Answer): ControlRoute[] {
  const snapshots = new Map<number, PlatformState>();
  let last = 0;
  return [
    { method: 'GET', path: '/state', handle: () => answer(200, exportState(platform)) },
    {
      method: 'POST',
      path: '/state',
      handle: async (body) => {
        await replaceState(platform, checkBody(PlatformState, body, BAD_REQUEST));
        return now();
      },
    },
    {
      method: 'POST',
      path: '/snapshots',
      handle: () => {
        snapshots.set(++last, copyState(platform));
        snapshots.delete(last - MOST_SNAPSHOTS);
        return answer(201, { id: last });
      },
    },
    {
      method: 'POST',
      path: '/snapshots/restore',
      handle: async (body) => {
        const { id } = checkBody(SnapshotId, body, BAD_REQUEST);
        const state = snapshots.get(id);
        if (!state) throw refusal(404, `Not found: snapshot ${id}; the newest ${MOST_SNAPSHOTS} are kept`);
        await replaceState(platform, state);
        return now();
      },
    },
  ];
}

const SnapshotId = strictObject({ id: int() });

async function openApi(url: string): Promise<Answer> {
  const { openApiDocument } = await import('../contract/openapi.ts');
  const { auth, base, dsr, identity, seeding } = SERVICE_PATHS;
  const addresses = {
    base: url + base,
    auth: url + auth,
    dsr: url + dsr,
    seeding: url + seeding,
    identity: url + identity,
  };
  return answer(200, openApiDocument({ version: VERSION, addresses }));
}

/** Beyond the year 9999 dates take another form. */
const LAST_TIME = Date.UTC(10_000, 0) - 1;

const ClockMove = strictObject({
  advance: optional(timeText((text) => parseDuration(text) !== undefined, 'is no duration such as 90m or 8d')),
  set: optional(timeText((text) => parseIso(text) !== undefined, 'is no time such as 2026-01-31T08:00:00Z')),
});

function timeText(fits: (text: string) => boolean, message: string) {
  return string().check(
    check((context) => {
      if (!fits(context.value)) context.issues.push({ code: 'custom', message, input: context.value });
    }),
  );
}

function wantedTime({ advance, set }: { advance?: string | undefined; set?: string | undefined }, now: number): number {
  if ((advance === undefined) === (set === undefined)) {
    throw refusal(400, `${BAD_REQUEST}: give either advance or set`);
  }
  const time = set === undefined ? now + (parseDuration(advance ?? '') ?? 0) : parseIso(set);
  if (time === undefined || time < 0 || time > LAST_TIME)
    throw refusal(400, `${BAD_REQUEST}: that is not between 1970 and 9999`);
  return time;
}
