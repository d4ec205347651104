// The control client of a running platform, and the calls to the control address that it shares with the commands.
import { KnownError, usageError } from '../kernel/errors.ts';
import { parseJson, stringifyJson } from '../kernel/json.ts';
import type {
  Callback,
  EmulatorControl,
  Fault,
  LoggedRequest,
  RecordedRequest,
  RoleAssignment,
  StoredCounts,
} from './embedding.ts';

/** A call to the control address, typed by its reply. */
export interface ControlCall<Reply = unknown> {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the control address: `/clock`. */
  path: string;
  body?: object;
  /**
   * The fields that the reply holds at least, or each of its entries where it is a list. In a reply that is no list, a
   * field that was also sent has the value that was sent.
   */
  reply?: { fields: readonly (keyof (Reply extends readonly (infer Entry)[] ? Entry : Reply))[]; list?: boolean };
}

/** What `emulator export` writes. */
export interface ExportedState {
  format: number;
  tables: Record<string, unknown[]>;
}

interface Now {
  now: string;
}

const NOW: ControlCall<Now>['reply'] = { fields: ['now'] };
const CALLBACKS: ControlCall<Callback[]>['reply'] = {
  list: true,
  fields: ['id', 'url', 'state', 'due_on', 'attempts'],
};
const ENTRIES = { list: true, fields: [] } as const;

/** Every call of the control address, once. */
export const controlCalls = {
  now: { method: 'GET', path: '/clock', reply: NOW } as ControlCall<Now>,
  moveClock: (move: { advance: string } | { set: string }): ControlCall<Now> => {
    return { method: 'POST', path: '/clock', body: move, reply: NOW };
  },
  reset: { method: 'POST', path: '/reset', reply: NOW } as ControlCall<Now>,
  snapshot: { method: 'POST', path: '/snapshots', reply: { fields: ['id'] } } as ControlCall<{ id: number }>,
  restore: (id: number): ControlCall<Now> => {
    return { method: 'POST', path: '/snapshots/restore', body: { id }, reply: NOW };
  },
  state: { method: 'GET', path: '/state', reply: { fields: ['format', 'tables'] } } as ControlCall<ExportedState>,
  replaceState: (state: object): ControlCall<Now> => ({ method: 'POST', path: '/state', body: state, reply: NOW }),
  addFault: (fault: Fault): ControlCall<Fault> => {
    return { method: 'POST', path: '/faults', body: fault, reply: { fields: Object.keys(fault) as (keyof Fault)[] } };
  },
  faults: { method: 'GET', path: '/faults', reply: ENTRIES } as ControlCall<Fault[]>,
  clearFaults: { method: 'DELETE', path: '/faults', reply: ENTRIES } as ControlCall<Fault[]>,
  log: {
    method: 'GET',
    path: '/requests',
    reply: { list: true, fields: ['at', 'method', 'status', 'path'] },
  } as ControlCall<LoggedRequest[]>,
  requests: (after: number): ControlCall<RecordedRequest[]> => ({
    method: 'GET',
    path: `/requests?bodies=true&after=${after}`,
    reply: { list: true, fields: ['id', 'at', 'method', 'status', 'path', 'headers'] },
  }),
  callbacks: { method: 'GET', path: '/callbacks', reply: CALLBACKS } as ControlCall<Callback[]>,
  resend: (which: object): ControlCall<Callback[]> => {
    return { method: 'POST', path: '/callbacks/resend', body: which, reply: CALLBACKS };
  },
  flush: { method: 'POST', path: '/callbacks/flush', reply: CALLBACKS } as ControlCall<Callback[]>,
  profiles: (identity: Record<string, string>): ControlCall<Record<string, unknown>[]> => {
    return { method: 'GET', path: `/profiles?${new URLSearchParams(identity).toString()}`, reply: ENTRIES };
  },
  counts: { method: 'GET', path: '/counts' } as ControlCall<StoredCounts>,
  assignRole: (roleId: string, user: string): ControlCall<RoleAssignment> => {
    const body = { role_id: roleId, user };
    return { method: 'POST', path: '/role-assignments', body, reply: { fields: ['role_id', 'user'] } };
  },
};

/** A client of the platform whose ready line has this `control_url`. */
export function connectEmulator(controlUrl: string): EmulatorControl {
  const send = <Reply>(call: ControlCall<Reply>): Promise<Reply> => exchange(controlUrl, call);
  return {
    clock: {
      now: async () => (await send(controlCalls.now)).now,
      advance: async (duration) => (await send(controlCalls.moveClock({ advance: duration }))).now,
      set: async (time) => (await send(controlCalls.moveClock({ set: time }))).now,
    },
    faults: {
      add: (fault) => send(controlCalls.addFault(fault)),
      list: () => send(controlCalls.faults),
      clear: async () => {
        await send(controlCalls.clearFaults);
      },
    },
    callbacks: {
      list: () => send(controlCalls.callbacks),
      resend: (which) => send(controlCalls.resend(which ?? {})),
      flush: () => send(controlCalls.flush),
    },
    state: {
      profiles: (identity) => send(controlCalls.profiles(identity)),
      counts: () => send(controlCalls.counts),
    },
    requests: (after = 0) => send(controlCalls.requests(after)),
    log: () => send(controlCalls.log),
    assignRole: (roleId, user) => send(controlCalls.assignRole(roleId, user)),
    reset: async () => {
      await send(controlCalls.reset);
    },
    snapshot: async () => (await send(controlCalls.snapshot)).id,
    restore: async (snapshot) => {
      await send(controlCalls.restore(snapshot));
    },
  };
}

async function exchange<Reply>(controlUrl: string, { method, path, body }: ControlCall<Reply>): Promise<Reply> {
  const { request } = await import('node:http');
  const text = body && stringifyJson(body);
  const { reply, status } = await new Promise<{ status: number; reply: string }>((resolve, reject) => {
    const headers = text === undefined ? {} : { 'content-type': 'application/json' };
    const outgoing = request(controlUrl + path, { method, agent: false, headers });
    outgoing.on('error', (cause) => reject(unreachable(controlUrl, cause)));
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', (cause) => reject(unreachable(controlUrl, cause)));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, reply: Buffer.concat(chunks).toString('utf8') });
      });
    });
    outgoing.end(text);
  });
  if (status < 300) return parseJson(reply) as Reply;
  const message = `The embedded platform rejected the call: ${refusalIn(reply)}.`;
  if (status === 400) throw usageError(message);
  throw new KnownError({ code: 'emulator.refused', message, status });
}

/** Why the control address rejected a call, as a clause. */
export function refusalIn(reply: string): string {
  let message: unknown;
  try {
    message = (parseJson(reply) as { errors?: { message?: unknown }[] }).errors?.[0]?.message;
  } catch {
    // Not a reply of the control address: its reason is unknown.
  }
  return typeof message === 'string' ? message.replace(/^(Bad request|Not found): /, '') : 'it gave no reason';
}

function unreachable(controlUrl: string, cause: Error): KnownError {
  const { origin } = new URL(controlUrl);
  return new KnownError({
    code: 'emulator.unreachable',
    message: `The embedded platform at ${origin} did not respond: ${cause.message}.`,
    hint: 'Start one with startEmulator, or check the address.',
    cause,
  });
}
