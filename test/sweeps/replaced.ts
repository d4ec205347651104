// Responses that replace genuine ones in the claims sweep. Most replacements are well-formed HTTP, and none is a
// genuine response to the write.
import { answerBytes, type PlatformAnswer, type ProxiedRequest, type ProxyFault } from '../helpers/fault-proxy.ts';

/** Genuine responses for other resources, used to build replacements. */
export interface Strangers {
  /** A signed 201 response to a different data subject request. */
  signed: PlatformAnswer;
  /** Resources by the path of their list, such as `/v3/requests`. */
  byPath: ReadonlyMap<string, unknown>;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const TROUBLE = { statusCode: 500, errors: [{ message: 'Trouble' }] };
const DSR_TROUBLE = { code: 500, message: 'Trouble', errors: [{ domain: 'x', reason: 'trouble', message: 'Trouble' }] };
const PAGE = '<!doctype html><html><head><title>Log in</title></head><body>…</body></html>';
/** A resource that no write returns. */
const TASK = { task_id: 'audiences:*', display_name: 'Audiences', description: 'Full access' };
const OTHER_ID = 'someone-elses';
const ID = /^(id|subject_request_id|pipeline_id|role_id)$/;

const replaced = (name: string, delivered: boolean, answer: NonNullable<ProxyFault['answer']>): ProxyFault => ({
  name: `${name}, ${delivered ? '' : 'not '}delivered`,
  delivered,
  answer,
});

const json = (status: number, value: unknown): PlatformAnswer => ({
  status,
  headers: JSON_TYPE,
  body: Buffer.from(typeof value === 'string' ? value : ((JSON.stringify(value) as string | undefined) ?? '')),
});

function parsed({ body }: PlatformAnswer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns a copy with a different resource id. */
function aboutAnother(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(aboutAnother);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, ID.test(key) && typeof item === 'string' ? OTHER_ID : item]),
  );
}

/** Returns a copy without the first item of each list, and with shortened strings. */
function lessOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(1).map(lessOf);
  if (typeof value !== 'object' || value === null) return value;
  const cut = (key: string, item: unknown): unknown =>
    /^(name|description|source_user_attribute)$/.test(key) && typeof item === 'string'
      ? item.slice(0, 3)
      : lessOf(item);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, ID.test(key) ? item : cut(key, item)]));
}

const addRole = (value: unknown): unknown => ({
  ...(value as object),
  roles: [
    ...(value as { roles: unknown[] }).roles,
    { role_id: OTHER_ID, name: 'Not sent', description: 'Not sent', tasks: [{ task_id: 'user:core' }] },
  ],
});

const pathOf = (target: string): string => (target.split('?')[0] ?? '').replace(/\/$/, '');

/** Returns the replacements for one request; `clean` is its response in a run without faults, if known. */
export function formsFor(
  request: Pick<ProxiedRequest, 'method' | 'target'>,
  clean: PlatformAnswer | undefined,
  strangers: Strangers,
): ProxyFault[] {
  const { method, target } = request;
  return (writes(request) ? [true, false] : [true]).flatMap((delivered) =>
    forOne({ delivered, method, target, clean, strangers }),
  );
}

interface Place {
  delivered: boolean;
  method: string;
  target: string;
  clean: PlatformAnswer | undefined;
  strangers: Strangers;
}

function forOne({ clean, delivered, method, strangers, target }: Place): ProxyFault[] {
  const make = (name: string, answer: NonNullable<ProxyFault['answer']>): ProxyFault => replaced(name, delivered, answer);
  const usual = clean?.status ?? 200;
  const genuine = (answer: PlatformAnswer): PlatformAnswer => (delivered && answer.status < 300 ? answer : clean ?? answer);
  const stranger = strangers.byPath.get(pathOf(target)) ?? strangers.byPath.get(pathOf(target).replace(/\/[^/]*$/, ''));
  const isList = Array.isArray(clean && parsed(clean));
  const forms = [
    make('empty', () => ({ status: usual === 204 ? 200 : usual, headers: JSON_TYPE, body: Buffer.alloc(0) })),
    make('null', () => json(usual === 204 ? 200 : usual, 'null')),
    // An empty list is a valid response for a list.
    make('array', () => json(usual === 204 ? 200 : usual, isList ? '[null]' : '[]')),
    make('a resource of a different kind', () => json(usual === 204 ? 200 : usual, TASK)),
    make('an error with 200', () => json(200, TROUBLE)),
    make('an error with the usual status', () => json(usual === 204 ? 200 : usual, DSR_TROUBLE)),
    make('HTML', () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from(PAGE) })),
    make('half of the body', (answer) => {
      const { body, headers, status } = genuine(answer);
      return { status, headers: { ...JSON_TYPE, ...headers }, body: body.subarray(0, body.length >> 1) };
    }),
    {
      name: `cut off, ${delivered ? '' : 'not '}delivered`,
      delivered,
      act: (socket, answer) => {
        const whole = genuine(answer);
        const framed = { ...whole, status: whole.status === 204 ? 200 : whole.status };
        const length = { 'content-length': String(whole.body.length + 10) };
        socket.end(answerBytes(framed, length));
      },
    } satisfies ProxyFault,
    ...[200, 201, 202, 203, 204, 206]
      .filter((status) => status !== usual)
      .map((status) => make(`${status} without a body`, () => ({ status, headers: {}, body: Buffer.alloc(0) }))),
  ];
  // Without an id to change, the response would be genuine.
  const value = clean && parsed(clean);
  if (JSON.stringify(aboutAnother(value)) !== JSON.stringify(value))
    forms.push(make('the same about another id', (answer) => json(usual, aboutAnother(parsed(genuine(answer))))));
  if (stranger !== undefined) forms.push(make("another resource's body", () => json(usual === 204 ? 200 : usual, stranger)));
  if (method === 'POST' && pathOf(target) === '/v3/requests')
    forms.push(make('a signed body with a different id', () => strangers.signed));
  // Without delivery, the replacement would look like the response to a successful write.
  if (delivered)
    forms.push(...[200, 201, 202].filter((status) => status !== usual).map((status) =>
      make(`${status} with the body`, (answer) => (answer.status === 204 ? answer : { ...answer, status }))));
  return forms;
} // prettier-ignore

/**
 * Returns responses to a PUT of a manifest: manifests that differ from the one sent. Other resources are identified by
 * their id, so the same change there would look genuine.
 */
export function alteredForms({ answered }: Pick<ProxiedRequest, 'answered'>): ProxyFault[] {
  const clean = answered && parsed(answered);
  if (typeof clean !== 'object' || clean === null || !('roles' in clean)) return [];
  const forms: [string, (value: unknown) => unknown][] = [
    ['less than was sent', lessOf],
    ['no roles', (manifest) => ({ ...(manifest as object), roles: [] })],
    ['a role that was not sent', addRole],
  ];
  return forms.flatMap(([name, change]) =>
    [true, false].map((delivered) =>
      replaced(name, delivered, (answer) => json(200, change((delivered && parsed(answer)) || clean))),
    ),
  );
}

const TROUBLED = JSON.stringify(TROUBLE);

/** After these faults, a read determines a write's outcome. */
export const LOSSES: readonly ProxyFault[] = [true, false].flatMap((delivered) => [
  replaced('503', delivered, () => ({ status: 503, headers: JSON_TYPE, body: Buffer.from(TROUBLED) })),
  replaced('429', delivered, () => ({ status: 429, headers: JSON_TYPE, body: Buffer.from(TROUBLED) })),
  replaced('empty 200', delivered, () => ({ status: 200, headers: JSON_TYPE, body: Buffer.alloc(0) })),
  { name: `reset, ${delivered ? '' : 'not '}delivered`, delivered, act: (socket) => void socket.resetAndDestroy() },
]);

/** Returns replacements for the response to a read after a loss, which is a 404 if the write did not arrive. */
export function readForms({ byPath }: Strangers): ProxyFault[] {
  const make = (name: string, answer: NonNullable<ProxyFault['answer']>): ProxyFault => ({
    name,
    delivered: true,
    answer,
  });
  const strangerOf = (target: string): unknown =>
    byPath.get(pathOf(target)) ?? byPath.get(pathOf(target).replace(/\/[^/]*$/, '')) ?? TASK;
  return [
    make('empty', () => ({ status: 200, headers: JSON_TYPE, body: Buffer.alloc(0) })),
    make('null', () => json(200, 'null')),
    make('array', () => json(200, '[null]')),
    make('a resource of a different kind', () => json(200, TASK)),
    make("another resource's body", (_answer, { target }) => json(200, strangerOf(target))),
    make('an error with 200', () => json(200, TROUBLE)),
    make('an error of another area with 200', () => json(200, DSR_TROUBLE)),
    make('204', () => ({ status: 204, headers: {}, body: Buffer.alloc(0) })),
    make('half of the body', (answer) => ({
      status: 200,
      headers: JSON_TYPE,
      body: answer.body.subarray(0, answer.body.length >> 1),
    })),
    make('500', () => json(500, TROUBLE)),
  ];
}

/** True if a request writes, to the platform or to its control address. */
export function writes({ method, target }: Pick<ProxiedRequest, 'method' | 'target'>): boolean {
  return method !== 'GET' && target !== '/oauth/token';
}
