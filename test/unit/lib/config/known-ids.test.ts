// The cache of ids for tab completion.
import { expect, it } from 'vitest';
import { openKnownIds } from '../../../../src/lib/config/known-ids.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const idsFrom = (first: number, count: number): string[] => Array.from({ length: count }, (_, at) => `p${first + at}`);

it('keeps all ids of a complete list when a new id is added', () => {
  const known = openKnownIds(temporaryFolder(), { profile: 'prod' });
  known.replace('pipeline_id', idsFrom(1, 500));
  known.add('pipeline_id', ['p0']);
  expect(known.read('pipeline_id')).toEqual(idsFrom(0, 501));
});

it('stores at most 5,000 ids of each kind, and drops the oldest when a new one is added', () => {
  const known = openKnownIds(temporaryFolder(), { profile: 'prod' });
  known.replace('pipeline_id', idsFrom(1, 6000));
  expect(known.read('pipeline_id')).toEqual(idsFrom(1, 5000));
  known.add('pipeline_id', ['p0']);
  expect(known.read('pipeline_id')).toEqual(idsFrom(0, 5000));
});
