// The control client of a running platform, and the control calls that it shares with the commands.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { KnownError, usageError } from '../kernel/errors.ts';
import { isRecord, parseJsonOr, stringifyJson, tryJson } from '../kernel/json.ts';
import type {
  Callback,
  EmulatorControl,
  Fault,
  LoggedRequest,
  RecordedRequest,
  RoleAssignment,
  StoredCounts,
  StoredProfile,
} from './base/embedding.ts';

export interface ControlCall<Reply = unknown> {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path relative to the control address, such as `/clock`. */
  path: string;
  body?: object;
  /** Required fields of the reply or of each list entry. Outside lists, fields that are in `body` must be unchanged. */
  reply: { fields: readonly (keyof (Reply extends readonly (infer Entry)[] ? Entry : Reply))[]; list?: boolean };
}

const get = <Reply>(path: string, reply: ControlCall<Reply>['reply']): ControlCall<Reply> => {
  return { method: 'GET', path, reply };
};
const post = <Reply>(path: string, reply: ControlCall<Reply>['reply'], body?: object): ControlCall<Reply> => {
  return { method: 'POST', path, reply, ...(body && { body }) };
};

type Now = Record<'now', string>;

const NOW: { fields: ['now'] } = { fields: ['now'] };
const CALLBACKS = { list: true, fields: ['id', 'url', 'state', 'due_on', 'attempts'] } as const;
const ENTRIES = { list: true, fields: [] } as const;

export const controlCalls = {
  now: get<Now>('/clock', NOW),
  moveClock: (move: { advance: string } | { set: string }) => post<Now>('/clock', NOW, move),
  reset: post<Now>('/reset', NOW),
  snapshot: post<{ id: number }>('/snapshots', { fields: ['id'] }),
  restore: (id: number) => post<Now>('/snapshots/restore', NOW, { id }),
  state: get<{ format: number; tables: Record<string, unknown[]> }>('/state', { fields: ['format', 'tables'] }),
  replaceState: (state: object) => post<Now>('/state', NOW, state),
  addFault: (fault: Fault) => post<Fault>('/faults', { fields: fieldsOf(fault) }, fault),
  faults: get<Fault[]>('/faults', ENTRIES),
  clearFaults: { method: 'DELETE', path: '/faults', reply: ENTRIES } as ControlCall<Fault[]>,
  log: get<LoggedRequest[]>('/requests', { list: true, fields: ['at', 'method', 'status', 'path'] }),
  requests: (after: number) =>
    get<RecordedRequest[]>(`/requests?bodies=true&after=${after}`, {
      list: true,
      fields: ['id', 'at', 'method', 'status', 'path', 'headers'],
    }),
  callbacks: get<Callback[]>('/callbacks', CALLBACKS),
  resend: (which: object) => post<Callback[]>('/callbacks/resend', CALLBACKS, which),
  flush: post<Callback[]>('/callbacks/flush', CALLBACKS),
  profiles: (identity: Record<string, string>) =>
    get<(Omit<StoredProfile, 'xpid'> & { xpid: number | bigint })[]>(
      `/profiles?${new URLSearchParams(identity).toString()}`,
      ENTRIES,
    ),
  counts: get<StoredCounts>('/counts', { fields: ['profiles', 'seeds', 'events'] }),
  assignRole: (roleId: string, user: string) =>
    post<RoleAssignment>('/role-assignments', { fields: ['role_id', 'user'] }, { role_id: roleId, user }),
};

/** Callers in JavaScript might omit the fault; the platform then rejects the call. */
const fieldsOf = (fault: Fault | undefined): (keyof Fault)[] =>
  (Object.keys({ ...fault }) as (keyof Fault)[]).filter((name) => fault?.[name] !== undefined);

/** Creates a client for the `control_url` of a ready line. Throws KnownError usage (2) unless it is an http URL. */
export function connectEmulator(controlUrl: string): EmulatorControl {
  if (!URL.canParse(controlUrl) || new URL(controlUrl).protocol !== 'http:') {
    throw usageError('connectEmulator expects the `control_url` from a ready line, which is an http URL.');
  }
  const send = <Reply>(call: ControlCall<Reply>): Promise<Reply> => exchange(controlUrl.replace(/\/$/, ''), call);
  const done = () => undefined;
  const listCallbacks = () => send(controlCalls.callbacks);
  // Return each `xpid` as a string, so that tests can convert a profile to JSON: `JSON.stringify` rejects bigints.
  const profiles = async (identity: Record<string, string>) =>
    (await send(controlCalls.profiles(identity))).map((profile) => ({ ...profile, xpid: String(profile.xpid) }));
  return {
    clock: {
      now: async () => (await send(controlCalls.now)).now,
      advance: async (duration) => (await send(controlCalls.moveClock({ advance: duration }))).now,
      set: async (time) => (await send(controlCalls.moveClock({ set: time }))).now,
    },
    faults: {
      add: (fault) => send(controlCalls.addFault(fault)),
      list: () => send(controlCalls.faults),
      clear: () => send(controlCalls.clearFaults).then(done),
    },
    callbacks: Object.assign(listCallbacks, {
      list: listCallbacks,
      resend: (which?: { id: number } | { subject_request_id: string }) => send(controlCalls.resend(which ?? {})),
      flush: () => send(controlCalls.flush),
    }),
    profiles,
    state: { profiles, counts: () => send(controlCalls.counts) },
    requests: (after = 0) => send(controlCalls.requests(after)),
    log: () => send(controlCalls.log),
    assignRole: (roleId, user) => send(controlCalls.assignRole(roleId, user)),
    reset: () => send(controlCalls.reset).then(done),
    snapshot: async () => (await send(controlCalls.snapshot)).id,
    restore: (snapshot) => send(controlCalls.restore(snapshot)).then(done),
  };
}

async function exchange<Reply>(controlUrl: string, call: ControlCall<Reply>): Promise<Reply> {
  const [{ request }, { text }] = await Promise.all([import('node:http'), import('node:stream/consumers')]);
  const { method, path, body } = call;
  const address = `The embedded platform at ${new URL(controlUrl).origin}`;
  let status = 0;
  let reply: string;
  try {
    const headers = body && { 'content-type': 'application/json' };
    const outgoing = request(controlUrl + path, { method, agent: false, headers }).end(body && stringifyJson(body));
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    status = response.statusCode ?? 0;
    reply = await text(response);
  } catch (cause) {
    throw new KnownError({
      code: 'emulator.unreachable',
      message: `${address} did not respond: ${(cause as Error).message}.`,
      hint: 'Start one with startEmulator, or check the address.',
      cause,
    });
  }
  if (status < 300) {
    const hint = 'Another program may be listening on that port. Check the address.';
    return readReply(call, reply, (problem) => {
      const message = `${address} sent a response that ${problem}.`;
      return new KnownError({ code: 'emulator.unreadable', message, hint });
    });
  }
  const message = `The embedded platform rejected the call: ${rejectionIn(reply)}.`;
  if (status === 400) throw usageError(message);
  throw new KnownError({ code: 'emulator.refused', message, status });
}

/** Reads and checks a reply, which may come from another program. `problem` completes "a response that …". */
export function readReply<Reply>(
  { body, reply }: ControlCall<Reply>,
  text: string,
  unusable: (problem: string) => KnownError,
): Reply {
  const value = parseJsonOr(text, ({ message }) => {
    throw unusable(text.trim() === '' ? 'is empty' : `is not JSON: ${message}`);
  });
  const sent: Record<string, unknown> = reply.list ? {} : { ...body };
  const isExpected = (entry: unknown): boolean =>
    isRecord(entry) &&
    reply.fields
      .map(String)
      .every((name) => name in entry && (!(name in sent) || isDeepStrictEqual(entry[name], sent[name])));
  const entries = reply.list ? value : [value];
  if (!Array.isArray(entries) || !entries.every(isExpected)) throw unusable('is not the expected JSON');
  return value as Reply;
}

/** Returns why the control address rejected a call, as a clause. */
export function rejectionIn(reply: string): string {
  // The reply may come from another program.
  const message = (tryJson(reply) as { errors?: { message?: unknown }[] } | undefined)?.errors?.[0]?.message;
  return typeof message === 'string'
    ? message.replace(/^(Bad request|Not found|The embedded platform failed): /, '')
    : 'it gave no reason';
}
