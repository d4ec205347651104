// Ten processes that save roles at the same time.
import { describe, expect, it } from 'vitest';
import { openRolesStore, type RolesStore } from '../../src/lib/config/roles-store.ts';
import { runTogether } from '../helpers/bundle.ts';
import { createTestClock, type TestClock } from '../helpers/clock.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const SCOPE = { organization: '101', address: 'https://api.example.com' };

interface Opened {
  state: string;
  store: RolesStore;
  clock: TestClock;
}

function open(scope = SCOPE, state = temporaryFolder()): Opened {
  const clock = createTestClock();
  return { state, store: openRolesStore(state, scope, clock), clock };
}

describe('ten concurrent processes', () => {
  it('keep every manifest that any of them saves', async () => {
    const state = temporaryFolder();
    await runTogether('test/e2e/children/write-roles.ts', Array<string[]>(10).fill([state, '3']));
    const { store } = open(SCOPE, state);
    const counted = store.revisions().map(({ revision }) => store.findRevision(revision)?.manifest['count'] as number);
    expect(counted.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });
});
