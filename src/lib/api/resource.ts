// The calls that are the same for every kind of workspace resource.
import type { Endpoint } from '../contract/endpoint.ts';
import type { CallInput, Client, DescribedRequest, ReplyOf } from '../http/types.ts';

type ResourceEndpoints = Record<'list' | 'get' | 'create' | 'update' | 'delete', Endpoint>;
type BodyOf<E extends Endpoint> = NonNullable<CallInput<E>['body']>;
type Query = CallInput<Endpoint>['query'];

/** `idName` is the path parameter for a resource's id. A write throws OutcomeUnknownError if its response is lost. */
export function resourceCalls<E extends ResourceEndpoints>(
  client: Client,
  endpoints: E,
  scope: Readonly<Record<string, bigint>>,
  idName: string,
) {
  const { list, get, create, update, delete: remove } = endpoints as ResourceEndpoints;
  // TypeScript cannot infer a generic endpoint's parameters: those of the scope and, for a single resource, the id.
  const all = (rest: object) => ({ params: scope, ...rest }) as never;
  const one = (id: string, rest: object) => ({ params: { ...scope, [idName]: id }, ...rest }) as never;
  return {
    list: async (signal?: AbortSignal, query?: Query) =>
      (await client.call(list, all({ signal, query }))) as ReplyOf<E['list']>,
    get: async (id: string, signal?: AbortSignal) => (await client.call(get, one(id, { signal }))) as ReplyOf<E['get']>,
    create: async (body: BodyOf<E['create']>, signal?: AbortSignal) =>
      (await client.call(create, all({ body, signal }))) as ReplyOf<E['create']>,
    update: async (id: string, body: BodyOf<E['update']>, signal?: AbortSignal, query?: Query) =>
      (await client.call(update, one(id, { body, signal, query }))) as ReplyOf<E['update']>,
    delete: async (id: string, signal?: AbortSignal): Promise<void> => {
      await client.call(remove, one(id, { signal }));
    },
    describeCreate: (body: BodyOf<E['create']>): DescribedRequest => client.describe(create, all({ body })),
    describeUpdate: (id: string, body: BodyOf<E['update']>, query?: Query): DescribedRequest =>
      client.describe(update, one(id, { body, query })),
    describeDelete: (id: string): DescribedRequest => client.describe(remove, one(id, {})),
  };
}
