// The judge of the sweeps is judged: what it holds of each call is complete and agrees with the contract, and runs that
// are not as promised are seen.
import { describe, expect, test } from 'vitest';
import { allEndpoints } from '../../src/lib/contract/index.ts';
import { SERVICE_PATHS } from '../../src/lib/emulator/service-paths.ts';
import { afterLossOf, WRITES } from './deeds.ts';

const targetOf = ({ path, service }: (typeof allEndpoints)[number]): string =>
  SERVICE_PATHS[service] + path.replace(/\{\w+\}/g, 'x');

describe('what may be sent again after a lost answer', () => {
  test('is held of every call that writes, as the contract has it', () => {
    const writing = allEndpoints.filter(({ method }) => method !== 'GET');
    expect(writing.map((endpoint) => [endpoint.id, afterLossOf(endpoint.method, targetOf(endpoint))])).toEqual(
      writing.map(({ id, safety }) => [id, safety]),
    );
    expect(writing).toHaveLength(WRITES.length);
  });

  test('is every question', () => {
    const reading = allEndpoints.filter(({ method }) => method === 'GET');
    expect(reading.filter(({ safety }) => safety !== 'repeat')).toEqual([]);
  });
});
