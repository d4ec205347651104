// Ten processes that add profiles at the same time.
import { describe, expect, it } from 'vitest';
import { openProfiles } from '../../src/lib/config/profiles.ts';
import { runTogether } from '../helpers/bundle.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { secretsOptions } from '../unit/lib/config/folders.ts';

describe('ten concurrent processes', () => {
  it('keep every profile that any of them creates', async () => {
    const folder = temporaryFolder();
    const writers = Array.from({ length: 10 }, (_, writer) => [folder, `w${writer}-`, '5']);
    await runTogether('test/e2e/children/write-profiles.ts', writers);
    const { profiles } = await openProfiles(secretsOptions(folder)).read();
    expect(profiles.size).toBe(50);
    expect(profiles.get('w9-4')).toEqual({ org_id: '4' });
  });
});
