// `api`: any call of the platform, with the right address and credentials by its path.
import { Argument, Command } from 'commander';
import type { Api } from '../../lib/api/index.ts';
import { allEndpoints } from '../../lib/contract/index.ts';
import { type Method, METHODS } from '../../lib/contract/endpoint.ts';
import { loadDocument } from '../../lib/files/load.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { cleanText } from '../../lib/render/clean.ts';
import { jsonText } from '../../lib/runtime/output/result-text.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { ADDRESS_OF } from '../../lib/runtime/service-address.ts';
import { routeOf } from './route.ts';

interface ApiFlags {
  file?: string;
  paginate?: boolean;
}

type Client = Api['client'];
type Input = Parameters<Client['call']>[1];

export function apiCommand(ctx: Context): Command {
  const command = new Command('api')
    .description('make any call of the platform')
    .addArgument(new Argument('<method>', 'the HTTP method').choices(METHODS))
    .argument('<path>', 'a path with its query; {orgId}, {accountId} and {workspaceId} are filled in')
    .option('-f, --file <file>', 'the body, JSON or YAML; - is standard input')
    .option('--paginate', 'follow the pages of a list and join their items')
    .action((method: Method, path: string, flags: ApiFlags) => callApi(ctx, method, path, flags));
  return withHelp(command, {
    calls: 'platform',
    values: {
      path: ({ operands: [method] }) => [
        ...new Set(allEndpoints.filter((one) => one.method === method).map(({ path }) => path)),
      ],
    },
    exits: {
      5: 'there is no such thing',
      6: 'the platform says conflict',
      9: "the body's file is invalid",
      12: 'you answered no',
    },
    notes: [
      'The body is sent as it is, without the checks of the other commands; a call that writes asks first.',
      'The wire names of the profile (`names`) are mapped in calls that other commands make too.',
    ],
    examples: [
      'cdpadm api GET "/platform/v2/organizations/{orgId}/accounts/{accountId}/tasks"',
      'cdpadm api GET "/platform/v2/organizations/{orgId}/accounts/{accountId}/roles" --query "roles[].name"',
    ],
    json: "the platform's answer",
  });
}

const view: DocumentView<unknown> = {
  kind: 'document',
  text: (data) => (typeof data === 'string' ? cleanText(data) : jsonText(data, 2)),
};

async function callApi(ctx: Context, method: Method, path: string, flags: ApiFlags): Promise<void> {
  const { route, input } = await readCall(ctx, method, path, flags);
  const { client } = await ctx.api();
  const send = async (sent: Input): Promise<unknown> => await client.call(route, sent);
  if (method !== 'GET') {
    if (ctx.flags.dryRun) {
      await ctx.out.emitDryRun([client.describe(route, input)]);
      return;
    }
    await ctx.confirmWrite(`Send ${method} ${path}?`, ADDRESS_OF[route.service]);
  }
  const data = flags.paginate === true ? await allPages(send, input) : await send(input);
  if (data !== undefined) await ctx.out.emit(data, view);
}

async function readCall(ctx: Context, method: Method, path: string, flags: ApiFlags) {
  const [plain = '', ...search] = path.split('?');
  const route = routeOf(method, plain.startsWith('/') ? plain : `/${plain}`);
  if (flags.file !== undefined && method === 'GET') throw usageError('A GET has no body.', 'Leave out --file.');
  const settings = await ctx.settings();
  const coordinates = {
    orgId: 'org_id',
    accountId: 'account_id',
    workspaceId: 'workspace_id',
    workspace_id: 'workspace_id',
  } as const;
  const params = Object.fromEntries(
    Object.entries(coordinates).flatMap(([name, setting]) =>
      route.path.includes(`{${name}}`) ? [[name, settings.needInteger(setting)]] : [],
    ),
  );
  const query = Object.fromEntries(new URLSearchParams(search.join('?')));
  const body = flags.file === undefined ? undefined : (await loadDocument(flags.file, ctx)).value;
  return { route, input: { params, query, body, signal: ctx.signal } as unknown as Input };
}

/** Pages have `items` and `has_next_page`; anything else is one page. */
async function allPages(send: (input: Input) => Promise<unknown>, input: Input): Promise<unknown> {
  const items: unknown[] = [];
  for (let page = 1; ; page++) {
    const data = await send({ ...input, query: { ...input.query, currentPage: page } } as Input);
    if (typeof data !== 'object' || data === null || !('items' in data) || !Array.isArray(data.items)) return data;
    items.push(...(data.items as unknown[]));
    if (!('has_next_page' in data) || data.has_next_page !== true) return items;
  }
}
