// Test endpoints for every `safety` value. All require credentials; none uses the shared rate budget.
import { looseObject, string } from 'zod/mini';
import { endpoint } from '../../../../src/lib/contract/endpoint.ts';
import { Integer } from '../../../../src/lib/contract/shared.ts';

const Thing = looseObject({ id: string() });
export const getThing = endpoint({
  id: 'test.get',
  service: 'base',
  auth: 'bearer',
  method: 'GET',
  path: '/things/{thingId}',
  status: 200,
  reply: Thing,
  query: ['filter', 'page'],
  safety: 'repeat',
});
export const putThing = endpoint({
  id: 'test.put',
  service: 'base',
  auth: 'bearer',
  method: 'PUT',
  path: '/things/{thingId}',
  status: 200,
  body: looseObject({ id: string() }),
  reply: Thing,
  safety: 'confirm',
});
export const triggerThing = endpoint({
  id: 'test.trigger',
  service: 'base',
  auth: 'bearer',
  method: 'POST',
  path: '/things/trigger',
  status: 200,
  body: looseObject({ id: string() }),
  reply: Thing,
  safety: 'once',
});
export const deleteThing = endpoint({
  id: 'test.delete',
  service: 'base',
  auth: 'bearer',
  method: 'DELETE',
  path: '/things/{thingId}',
  status: 204,
  safety: 'confirm',
});
export const seedThings = endpoint({
  id: 'test.seed',
  service: 'seeding',
  auth: 'seeding-basic',
  method: 'POST',
  path: '/v2/things/',
  status: 202,
  body: looseObject({ xpid: Integer }),
  safety: 'repeat',
});
export const getNumber = endpoint({
  id: 'test.number',
  service: 'dsr',
  auth: 'dsr-basic',
  method: 'GET',
  path: '/number',
  status: 200,
  reply: looseObject({ run: Integer }),
  safety: 'repeat',
});
