// A process for a concurrency test: saves numbered manifests in the history of one organization. Arguments: state
// folder, number of writes.
import { openRolesStore } from '../../../src/lib/config/roles-store.ts';
import { systemClock } from '../../../src/lib/kernel/clock.ts';

async function main([folder = '', times = '0']: string[]): Promise<void> {
  const scope = { organization: '101', address: 'https://api.example.com' };
  const store = openRolesStore(folder, scope, systemClock);
  for (let index = 0; index < Number(times); index++) {
    await store.exclusively(async () => {
      const counted = store
        .revisions()
        .map(({ revision }) => store.findRevision(revision)?.manifest['count'] as number);
      await systemClock.sleep(1);
      const manifest = { roles: [], count: Math.max(0, ...counted) + 1 };
      store.saveRevision({ reason: 'push', profile: null, plan: '', manifest });
      store.saveBase(manifest);
    });
  }
}

void main(process.argv.slice(2));
