// `api`: calls any platform path, with the address and credentials of its area.
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Api } from '../../lib/api/index.ts';
import { allEndpoints } from '../../lib/contract/index.ts';
import { type Method, METHODS } from '../../lib/contract/choices.ts';
import { MASK } from '../../lib/kernel/redact.ts';
import { loadDocument, placeIssues } from '../../lib/files/load.ts';
import { ifFound, invalidInput, usageError } from '../../lib/kernel/errors.ts';
import { isRecord } from '../../lib/kernel/json.ts';
import { maskedSecrets, RESOURCE_TYPES, SECRET_PATHS, secretUses } from '../../lib/domain/warehouse/definition.ts';
import { cleanText } from '../../lib/render/clean.ts';
import { jsonText } from '../../lib/runtime/output/result-text.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { OfferedValues } from '../../lib/runtime/command-line/help.ts';
import type { TargetIds, WriteScope } from '../../lib/runtime/target.ts';
import { confirmed } from '../../lib/workflows/confirm-write.ts';
import { readPages } from '../read-pages.ts';
import { fail } from '../../lib/errors/fail.ts';
import { type Endpoint, endpoint } from '../../lib/contract/endpoint.ts';

type Client = Api['client'];
type Route = ReturnType<typeof routeOf>;
type Input = Parameters<Client['call']>[1];

const REPLACED = '{orgId}, {accountId} and {workspaceId} are replaced';

const paths: OfferedValues = ({ operands: [method] }) => [
  ...new Set(allEndpoints.filter((one) => one.method === method).map(({ path }) => path)),
];

export const command = defineCommand({
  path: 'api',
  summary: 'call any platform path',
  undoNote: 'The program does not know which call undoes this one.',
  effect: 'write',
  tool: false,
  calls: 'platform',
  args: {
    method: { help: 'HTTP method', choices: METHODS },
    path: { help: `path with an optional query; ${REPLACED}`, offers: paths },
  },
  flags: {
    file: { short: 'f', value: 'file', help: 'body as a JSON or YAML file; - reads standard input' },
    paginate: { help: 'fetch all pages of a list and combine their items' },
  },
  output: () => z.unknown(),
  exits: {
    notFound: 'the platform responds with 404 or 410',
    conflict: 'the platform reports a conflict',
    invalidInput: 'the body file is invalid',
    guard: 'you answered no',
  },
  notes: [
    'This command checks the body only for secrets that are a mask or a reference. Before any call except a GET, it asks for confirmation. Secrets in the output are masked.',
    "The profile's wire names (`names`) are applied only to calls that other commands also make.",
  ],
  examples: [
    'cdpadm api GET "/platform/v2/organizations/{orgId}/accounts/{accountId}/tasks"',
    'cdpadm api GET "/platform/v2/organizations/{orgId}/accounts/{accountId}/roles" --query "roles[].name"',
  ],
  run: async (ctx, { args: { method, path }, flags }) => {
    const { body, route, input } = await readCall(ctx, method, path, flags.file);
    const { client } = await ctx.api();
    const send = async (sent: Input): Promise<unknown> => await client.call(route, sent);
    if (method === 'GET') return withoutSecrets(await (flags.paginate ? allPages(ctx, send, input) : send(input)));
    await ctx.startWrite(...targetIn(route));
    const shown = { ...input, body: withoutSecrets(body) } as Input;
    if (ctx.flags.dryRun) return await ctx.out.emitDryRun([client.describe(route, shown)]);
    await ctx.confirmWrite(`Send ${method} ${path}?`);
    const reply = withoutSecrets(await sendWrite(ctx, client, route, ctx.flags.curl ? shown : input));
    return reply === undefined && ['json', 'ndjson', 'yaml'].includes(ctx.flags.output) ? null : reply;
  },
  view: {
    kind: 'document',
    verbatim: (data) => typeof data === 'string',
    text: (data) => (typeof data === 'string' ? cleanText(data) : jsonText(data, 2)),
  },
});

const SECRET_FIELDS = new Set([
  ...['access_token', 'client_secret'],
  ...RESOURCE_TYPES.flatMap((type) => SECRET_PATHS[type].flatMap((path) => path.slice(-1))),
]);

/** Returns a copy with masked secrets. Nothing else changes, so that it can be sent back. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isRecord(value)) return value;
  const mask = (name: string, item: unknown) =>
    SECRET_FIELDS.has(name) && item !== null ? MASK : withoutSecrets(item);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mask(name, item)]));
}

/** Sends a write. The response confirms it, except that a GET confirms a DELETE whose response has no body. */
async function sendWrite(ctx: Context, client: Client, route: Route, given: Input): Promise<unknown> {
  const { method, path, safety } = route;
  // If the response is lost, only the resource's own command can confirm the write, so never send it again here.
  const input: Input = safety === 'repeat' ? given : { ...given, mayRepeat: 'never' };
  if (method === 'DELETE' && !route.reply && !route.anyReply) return await confirmDelete(ctx, client, route, input);
  const reply: unknown = await client.call(route, input);
  if (namesNoOther(route, input, reply)) return reply;
  throw fail('http.outcome_unknown', {
    message: `The outcome of ${method} ${path} is unknown: the response is for a different resource.`,
    hint: READ_FIRST,
    request: { id: randomUUID(), method, path },
  });
}

const READ_FIRST = 'Check the current state on the platform before you send the request again.';

async function confirmDelete(ctx: Context, client: Client, route: Route, input: Input): Promise<unknown> {
  const lookup = routeOf('GET', route.path);
  const find = { ...input, body: undefined } as Input;
  return await confirmed<unknown, boolean>(
    {
      subject: `${route.method} ${route.path}`,
      hint: READ_FIRST,
      maxSends: 1,
      send: async () => await client.call(route, input),
      isOurs: () => false,
      read: async () => (await ifFound(client.call(lookup, find).then(() => true))) === true,
      isAbout: () => true,
      judge: (isThere, { error }) => {
        if (isThere) return 'not-done';
        return error ? { unknown: 'a 404 proves nothing: a proxy may return it for any path' } : { done: undefined };
      },
    },
    { signal: ctx.signal },
  );
}

/** True unless the id in the reply differs from the id in the body (POST) or at the end of the path. */
function namesNoOther({ method, path }: Route, input: Input, reply: unknown): boolean {
  const idOf = (value: unknown): unknown =>
    isRecord(value) ? (value['id'] ?? value['subject_request_id']) : undefined;
  const shown = idOf(reply);
  const wanted =
    method === 'POST' ? idOf((input as { body?: unknown }).body) : path.replace(/\/$/, '').split('/').at(-1);
  if (typeof shown !== 'string' || typeof wanted !== 'string') return true;
  return [shown, encodeURIComponent(shown)].some((id) => id.toLowerCase() === wanted.toLowerCase());
}

const IDS = ['org_id', 'account_id', 'workspace_id'] as const;

const IDS_IN_PATH =
  /^\/platform\/(?:v\d+\/)?(?:organizations\/(?<org_id>[^/]+)(?:\/accounts\/(?<account_id>[^/]+))?|workspaces\/(?<workspace_id>[^/]+))/;

/** Returns the write scope of a path, and the ids in it. A placeholder such as `{orgId}` is replaced by a setting. */
function targetIn({ path, service }: Route): [WriteScope, TargetIds?] {
  if (service !== 'base' && service !== 'auth') return [service];
  const found: TargetIds = IDS_IN_PATH.exec(path)?.groups ?? {};
  const ids = IDS.flatMap((name) => (found[name] && !found[name].startsWith('{') ? [[name, found[name]]] : []));
  return [found.org_id === undefined ? 'workspace' : 'organization', Object.fromEntries(ids) as TargetIds];
}

/** Matches what a server may interpret differently than we do: the write would then have another target. */
const UNSAFE = /[^!-~]|[#\\]|\/(?:\.|%2e){1,2}(?:\/|$)/i;

async function readCall(ctx: Context, method: Method, path: string, file: string | undefined) {
  const [plain = '', ...search] = path.split('?');
  if (UNSAFE.test(plain))
    throw usageError(
      `Invalid path \`${path}\`.`,
      'Omit `.` and `..`, and percent-encode other characters, such as a space as `%20`.',
    );
  const route = routeOf(method, plain.startsWith('/') ? plain : `/${plain}`);
  if (file !== undefined && method === 'GET') throw usageError('A GET request cannot have a body.', 'Omit --file.');
  const settings = await ctx.settings();
  const params: Record<string, unknown> = {};
  for (const [placeholder, name = ''] of route.path.matchAll(/\{(\w+)\}/g)) {
    const setting = IDS.find((id) => id === name.replace(/Id$/, '_id'));
    if (!setting) throw usageError(`Unknown placeholder ${placeholder} in the path.`, `In paths, ${REPLACED}.`);
    params[name] = settings.needInteger(setting);
  }
  const pairs = [...new URLSearchParams(search.join('?'))];
  const query = Object.fromEntries(pairs);
  if (Object.keys(query).length < pairs.length) throw usageError('The path repeats a query parameter.');
  const body = file === undefined ? undefined : await readBody(ctx, file);
  return { body, route, input: { params, query, body, signal: ctx.signal } as unknown as Input };
}

/** Throws invalid input (9) for a masked secret or a reference: the platform would store it as the secret. */
async function readBody(ctx: Context, file: string): Promise<unknown> {
  const document = await loadDocument(file, ctx);
  const found = RESOURCE_TYPES.flatMap((type) => [
    ...maskedSecrets(type, document.value),
    ...secretUses(type, document.value).map(({ path }) => path),
  ]).map((path) => ({ path: [...path], message: 'must be the secret itself, not a mask or a reference' }));
  if (found.length === 0) return document.value;
  const hint = 'Use `connections update` or `pipelines update`, which read the secret from a reference.';
  throw invalidInput(`${file} is not a valid body. Nothing was sent.`, placeIssues(document, found), hint);
}

/** Returns the items of all pages. A reply without an `items` array is not a page and is returned unchanged. */
async function allPages(ctx: Context, send: (input: Input) => Promise<unknown>, input: Input): Promise<unknown> {
  const read = async (page: number) => {
    const data = await send({ ...input, query: { ...input.query, currentPage: page } } as Input);
    return data as Parameters<typeof readPages<unknown>>[2];
  };
  const first = await read(1);
  const isPage = isRecord(first) && Array.isArray(first.items);
  return isPage ? await readPages(ctx, 'Reading items', first, read) : first;
}

/** Returns the first segment of a path. All paths with the same first segment use the same service. */
const startOf = (path: string): string => `/${path.split('/')[1] ?? ''}`;

/**
 * Returns the endpoint for `method` and `path`. A known endpoint keeps its safety and wire names and, for a write, its
 * expected response (decision: D215). An unknown GET may be retried; any other unknown call is not sent
 * again if its response is lost. Throws KnownError usage (2) for a path outside all areas.
 */
export function routeOf(method: Method, path: string): Endpoint {
  // The DSR base address already ends in /v3, and a path copied from a log may start with it.
  const below = path.replace(/^\/v3(?=\/(?:requests|discovery))/, '');
  const known = allEndpoints.find((candidate) => candidate.method === method && pattern(candidate.path).test(below));
  const area = known ?? allEndpoints.find((candidate) => pattern(candidate.path).test(below)) ?? byPrefix(below);
  return endpoint({
    id: known?.id ?? 'api',
    service: area.service,
    auth: area.auth,
    method,
    path: below,
    ...(known && method !== 'GET'
      ? { status: known.status, ...(known.reply && { reply: known.reply }) }
      : { status: 200, anyReply: true }),
    safety: known?.safety ?? (method === 'GET' ? 'repeat' : 'once'),
    ...(known?.names && { names: known.names }),
    ...(area.budget && { budget: area.budget }),
  });
}

function byPrefix(path: string): Pick<Endpoint, 'service' | 'auth' | 'budget'> {
  const area = allEndpoints.find((candidate) => startOf(candidate.path) === startOf(path));
  if (area) return { service: area.service, auth: area.auth };
  const starts = [...new Set(allEndpoints.map((known) => startOf(known.path)))].join(', ');
  throw usageError(`Unknown path ${path}.`, `A path must begin with one of these: ${starts}.`);
}

function pattern(template: string): RegExp {
  const escaped = template.replace(/\/$/, '').replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, '[^/]+')}/?$`);
}
