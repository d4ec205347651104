// Rules for every endpoint in the table, including endpoints in new areas.
import { describe, expect, it } from 'vitest';
import { toJSONSchema } from 'zod/mini';
import { explain } from '../../../../src/lib/contract/explain.ts';
import type { Endpoint } from '../../../../src/lib/contract/endpoint.ts';
import { allEndpoints, areas } from '../../../../src/lib/contract/index.ts';

const named = Object.entries<Record<string, Endpoint>>(areas).flatMap(([area, endpoints]) =>
  Object.entries(endpoints).map(([name, endpoint]) => ({ name: `${area}.${name}`, endpoint })),
);

describe('the endpoint table', () => {
  it('lists every endpoint of every area exactly once', () => {
    expect(allEndpoints).toEqual(named.map(({ endpoint }) => endpoint));
    expect(new Set(allEndpoints).size).toBe(allEndpoints.length);
    // Both lists above would omit the endpoints of a missing area.
    expect(Object.keys(areas)).toHaveLength(9);
  });

  it('contains one endpoint per method and path of a service', () => {
    const shape = ({ service, method, path }: Endpoint): string =>
      `${service} ${method} ${path.replace(/\{\w+\}/g, '{}')}`;
    const shapes = allEndpoints.map(shape);
    expect(shapes.filter((each, index) => shapes.indexOf(each) !== index)).toEqual([]);
  });
});

// A response that lists an id twice is invalid, because a plan would omit one of the two items.
const LISTS: readonly [name: string, reply: Endpoint['reply'], of: (items: object[]) => unknown][] = [
  ['roles.get', areas.roles.get.reply, (roles) => ({ roles })],
  ['groups.list', areas.groups.list.reply, (items) => items],
  ['connections.list', areas.connections.list.reply, (items) => items],
  ['dataModels.list', areas.dataModels.list.reply, (items) => items],
  ['pipelines.list', areas.pipelines.list.reply, (items) => items],
];

it.each(LISTS)('rejects a %s response in which two items have the same id', (_name, reply, of) => {
  const [one, other] = ['a', 'b'].map((id) => ({ id, role_id: id, tasks: [] }));
  if (!reply || !one || !other) throw new TypeError('no items');
  expect(explain(reply, of([one, other]))).toEqual([]);
  expect(explain(reply, of([one, other, { ...one, name: 'Other' }]))).toMatchObject([
    { path: expect.arrayContaining([2]) as unknown, message: '`a` is a duplicate' },
  ]);
});

describe.each(named)('the endpoint $name', ({ name, endpoint }) => {
  it('has an id that matches its position in the table', () => {
    expect(endpoint.id).toBe(name);
  });

  it('has a path without a query string and without repeated placeholders', () => {
    expect(endpoint.path).toMatch(/^(\/([a-z0-9.-]+|\{\w+\}))+\/?$/);
    const placeholders = endpoint.path.match(/\{\w+\}/g) ?? [];
    expect(new Set(placeholders).size).toBe(placeholders.length);
    for (const parameter of endpoint.query ?? []) expect(parameter).toMatch(/^\w+$/);
  });

  it('has a request body only if its method allows one, and no response body if its status is 204', () => {
    if (endpoint.method === 'GET' || endpoint.method === 'DELETE') expect(endpoint.body).toBeUndefined();
    if (endpoint.status === 204) expect(endpoint.reply).toBeUndefined();
    if (endpoint.method === 'PUT' || endpoint.method === 'PATCH') expect(endpoint.body).toBeDefined();
  });

  it('is safe to retry if it is a read, but not if it replaces or deletes something', () => {
    if (endpoint.method === 'GET') expect(endpoint.safety).toBe('repeat');
    if (['PUT', 'PATCH', 'DELETE'].includes(endpoint.method)) expect(endpoint.safety).not.toBe('repeat');
  });

  it("uses its service's credentials", () => {
    const allowed = {
      base: ['bearer'],
      auth: ['none'],
      dsr: ['dsr-basic'],
      seeding: ['seeding-basic'],
      identity: ['seeding-basic'],
    };
    // Callback receivers, which have no credentials, read the certificate.
    if (name !== 'dsr.certificate') expect(allowed[endpoint.service]).toContain(endpoint.auth);
  });

  it('accepts unknown fields at every depth of a response', () => {
    const reply = endpoint.reply && toJSONSchema(endpoint.reply, { io: 'input', unrepresentable: 'any' });
    const text = JSON.stringify(reply ?? {});
    expect(text.match(/"additionalProperties":\{/g)?.length).toBe(text.match(/"type":"object"/g)?.length);
  });

  it('is frozen', () => {
    expect(Object.isFrozen(endpoint)).toBe(true);
  });

  it('uses only known marks for deployment-specific names, and marks only existing query parameters', () => {
    const marks = [...(endpoint.names?.body ?? []), ...(endpoint.names?.reply ?? [])];
    for (const mark of marks) expect(mark).toMatch(/^(keys|value):/);
    for (const parameter of endpoint.names?.query ?? []) expect(endpoint.query).toContain(parameter);
  });
});
