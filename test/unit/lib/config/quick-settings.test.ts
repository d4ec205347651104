// The fast path, used for completion and for the `output` setting, gives the same results as the full settings.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadSettings } from '../../../../src/lib/config/load-settings.ts';
import { resolvePaths } from '../../../../src/lib/config/paths.ts';
import { quickOutput, readQuickSettings } from '../../../../src/lib/config/quick-settings.ts';
import { folderWith, secretsOptions } from './folders.ts';
import { runs } from '../../../helpers/size.ts';

const NAMES = ['base_url', 'org_id', 'workspace_id'] as const;
type Name = (typeof NAMES)[number];

function valueOf(name: Name, index: number): string {
  return name === 'base_url' ? `https://h${index}.example` : String(index);
}

const some = fc.subarray([...NAMES]);
const choice = fc.constantFrom(undefined, 'a', 'b');
const valuesOf = (names: readonly Name[], index: number): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, valueOf(name, index)]));

it('resolves the profile, address and ids in the same way as the full settings, for any combination of sources', async () => {
  const given = fc.record({
    flag: choice,
    variable: choice,
    project: choice,
    current: choice,
    flags: fc.subarray(['org_id', 'workspace_id'] as Name[]),
    env: some,
    shared: some,
    a: some,
    b: some,
  });
  await fc.assert(
    fc.asyncProperty(given, async (has) => {
      const profiles = { a: valuesOf(has.a, 4), b: valuesOf(has.b, 5) };
      const folder = folderWith({ ...(has.current && { current: has.current }), profiles });
      const lines = Object.entries({ ...(has.project && { profile: has.project }), ...valuesOf(has.shared, 3) });
      writeFileSync(join(folder, '.cdpadm.yaml'), lines.map(([name, value]) => `${name}: ${value}\n`).join(''));
      const env = Object.fromEntries([
        ...Object.entries(valuesOf(has.env, 2)).map(([name, value]) => [`CDPADM_${name.toUpperCase()}`, value]),
        ...(has.variable ? [['CDPADM_PROFILE', has.variable]] : []),
      ]) as Record<string, string>;
      const flags = valuesOf(has.flags, 1);
      const where = { env, cwd: folder, home: folder };
      const quick = readQuickSettings({
        ...where,
        configFolder: folder,
        flags: { profile: has.flag, org: flags['org_id'], workspace: flags['workspace_id'] },
      });
      const settings = await loadSettings({
        ...secretsOptions(folder),
        ...where,
        paths: resolvePaths({ CDPADM_CONFIG_DIR: folder }, 'linux', folder),
        flags: { profile: has.flag, settings: flags },
        onWarning: () => undefined,
      });
      expect(quick.scope).toEqual({
        profile: settings.profile?.value,
        ...Object.fromEntries(NAMES.map((name) => [name, settings.get(name)?.value])),
      });
    }),
    runs(300),
  );
});

it('reads the output format from a project file', () => {
  const folder = folderWith({});
  expect(quickOutput(folder, folder)).toBeUndefined();
  writeFileSync(join(folder, '.cdpadm.yaml'), 'org_id: 1\noutput: json # for scripts\n');
  expect(quickOutput(folder, folder)).toBe('json');
});
