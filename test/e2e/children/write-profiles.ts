// A process for a concurrency test: creates profiles `<prefix>0` … in a folder. Arguments: folder, prefix, count.
import { openProfiles } from '../../../src/lib/config/profiles.ts';
import { systemClock } from '../../../src/lib/kernel/clock.ts';
import { createRedactor } from '../../../src/lib/kernel/redact.ts';

async function main([folder = '', prefix = '', count = '0']: string[]): Promise<void> {
  const profiles = openProfiles({ folder, env: {}, clock: systemClock, redactor: createRedactor() });
  for (let index = 0; index < Number(count); index++) {
    const profile = { org_id: String(index) };
    await profiles.create(`${prefix}${index}`, { profile, typed: {}, storage: 'file', use: false });
  }
}

void main(process.argv.slice(2));
