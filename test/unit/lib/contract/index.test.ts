// The table of endpoints as a whole: what holds for every line of it, whatever area is added.
import { describe, expect, it } from 'vitest';
import { toJSONSchema } from 'zod/mini';
import type { Endpoint } from '../../../../src/lib/contract/endpoint.ts';
import { allEndpoints, areas } from '../../../../src/lib/contract/index.ts';

const named = Object.entries<Record<string, Endpoint>>(areas).flatMap(([area, endpoints]) =>
  Object.entries(endpoints).map(([name, endpoint]) => ({ name: `${area}.${name}`, endpoint })),
);

describe('the table', () => {
  it('lists every endpoint of every area once', () => {
    expect(allEndpoints).toEqual(named.map(({ endpoint }) => endpoint));
    expect(new Set(allEndpoints).size).toBe(allEndpoints.length);
    // An area that is lost is no shorter list.
    expect(Object.keys(areas)).toHaveLength(9);
  });

  it('has one endpoint for each method and path of a service', () => {
    const shape = ({ service, method, path }: Endpoint): string =>
      `${service} ${method} ${path.replace(/\{\w+\}/g, '{}')}`;
    const shapes = allEndpoints.map(shape);
    expect(shapes.filter((each, index) => shapes.indexOf(each) !== index)).toEqual([]);
  });
});

describe.each(named)('$name', ({ name, endpoint }) => {
  it('is called what its place in the table says', () => {
    expect(endpoint.id).toBe(name);
  });

  it('has a path below its service, without query and with each placeholder once', () => {
    expect(endpoint.path).toMatch(/^(\/([a-z0-9-]+|\{\w+\}))+\/?$/);
    const placeholders = endpoint.path.match(/\{\w+\}/g) ?? [];
    expect(new Set(placeholders).size).toBe(placeholders.length);
    for (const parameter of endpoint.query ?? []) expect(parameter).toMatch(/^\w+$/);
  });

  it('sends a body only where HTTP has a meaning for one, and gets none with 204', () => {
    if (endpoint.method === 'GET' || endpoint.method === 'DELETE') expect(endpoint.body).toBeUndefined();
    if (endpoint.status === 204) expect(endpoint.reply).toBeUndefined();
    if (endpoint.method === 'PUT' || endpoint.method === 'PATCH') expect(endpoint.body).toBeDefined();
  });

  it('may be repeated when it reads, and is never repeated blindly when it replaces or deletes', () => {
    if (endpoint.method === 'GET') expect(endpoint.safety).toBe('repeat');
    if (['PUT', 'PATCH', 'DELETE'].includes(endpoint.method)) expect(endpoint.safety).not.toBe('repeat');
  });

  it('sends the credentials of its service', () => {
    const allowed = {
      base: ['bearer'],
      auth: ['none'],
      dsr: ['dsr-basic'],
      seeding: ['seeding-basic'],
      identity: ['seeding-basic'],
    };
    expect(allowed[endpoint.service]).toContain(endpoint.auth);
  });

  it('takes unknown fields in an answer, at every depth', () => {
    const reply = endpoint.reply && toJSONSchema(endpoint.reply, { io: 'input', unrepresentable: 'any' });
    const text = JSON.stringify(reply ?? {});
    expect(text.match(/"additionalProperties":\{/g)?.length).toBe(text.match(/"type":"object"/g)?.length);
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(endpoint)).toBe(true);
  });

  it('marks words of a deployment as the reader of marks knows them, in parameters that it has', () => {
    const marks = [...(endpoint.names?.body ?? []), ...(endpoint.names?.reply ?? [])];
    for (const mark of marks) expect(mark).toMatch(/^(keys|value):/);
    for (const parameter of endpoint.names?.query ?? []) expect(endpoint.query).toContain(parameter);
  });
});
