// Translation of marked names in bodies, responses and queries.
import { looseObject } from 'zod/mini';
import { describe, expect, it } from 'vitest';
import { endpoint } from '../../../../src/lib/contract/endpoint.ts';
import { createNamesEdge } from '../../../../src/lib/http/call/request.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { thrownBy } from '../../../helpers/failure.ts';
import { getThing } from './endpoints.ts';

const marked = endpoint({
  id: 'test.names',
  service: 'base',
  auth: 'bearer',
  method: 'POST',
  path: '/names',
  status: 200,
  body: looseObject({}),
  reply: looseObject({}),
  safety: 'repeat',
  query: ['kind', 'other'],
  names: { body: ['keys:'], reply: ['value:kind'], query: ['kind'] },
});
const edge = () => createNamesEdge({ xpid: 'person_id', 'osa_*': 'phone_' });

describe('createNamesEdge', () => {
  it('translates only marked names', () => {
    const input = {
      params: { id: 'xpid' },
      body: { xpid: 'xpid' },
      query: { kind: 'xpid', other: 'xpid' },
      reserved: true,
    };
    expect(edge().encode(marked, input)).toEqual({
      params: { id: 'xpid' },
      body: { person_id: 'xpid' },
      query: { kind: 'person_id', other: 'xpid' },
      reserved: true,
    });
    expect(input.body).toEqual({ xpid: 'xpid' });
    expect(edge().decode(marked, { kind: 'person_id', other: 'person_id' })).toEqual({
      kind: 'xpid',
      other: 'person_id',
    });
  });

  it('leaves numbers and missing fields unchanged', () => {
    expect(edge().encode(marked, { query: { kind: 7 } })).toEqual({ query: { kind: 7 } });
    expect(edge().encode(marked, {})).toEqual({});
    expect(edge().encode(marked, { body: 'xpid' })).toEqual({ body: 'xpid' });
  });

  it('leaves endpoints without marks unchanged', () => {
    const input = { body: { xpid: 1 }, query: { filter: 'xpid' } };
    expect(edge().encode(getThing, input)).toEqual(input);
    expect(edge().decode(getThing, { id: 'person_id', person_id: 1 })).toEqual({ id: 'person_id', person_id: 1 });
  });

  it.each([[undefined], [{}]])('changes nothing if the deployment does not have its own names: %j', (map) => {
    const none = createNamesEdge(map);
    const input = { body: { xpid: 1 } };
    expect(none.encode(marked, input)).toBe(input);
    const reply = { kind: 'person_id' };
    expect(none.decode(marked, reply)).toBe(reply);
  });

  it('rejects two fields that would be translated to the same name', () => {
    const error = thrownBy(() => edge().encode(marked, { body: { xpid: 1, person_id: 2 } }));
    expect(error).toBeInstanceOf(KnownError);
    expect(error).toMatchObject({
      code: 'input.invalid',
      message: 'Two fields have the same name, person_id. Nothing was sent.',
      issues: [{ path: 'person_id', message: expect.stringContaining('neutral name') as string }],
      hint: expect.stringContaining('`names`') as string,
    });
  });
});
