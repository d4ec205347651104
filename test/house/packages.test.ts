// Installed packages run on the oldest supported Node, build nothing, and come from the configured registry.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { minVersion, satisfies } from 'semver';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../helpers/root.ts';

interface LockedPackage {
  version?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  engines?: { node?: string };
}

interface Manifest {
  engines: { node: string };
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));

const manifest = readJson('package.json') as Manifest;
const lock = readJson('package-lock.json') as { packages: Record<string, LockedPackage> };
const installed = Object.entries(lock.packages).filter(([path]) => path !== '');

const oldest = manifest.engines.node.split('||').map((range) => minVersion(range)?.version ?? range);

test('declares the oldest Node versions that the checks use', () => {
  expect(oldest).toEqual(['20.19.0', '22.13.0', '24.0.0']);
  expect(installed.length).toBeGreaterThan(100);
});

test('runs the checks on the oldest and the newest release of each supported Node line', () => {
  const workflow = parse(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')) as {
    jobs: { checks: { strategy: { matrix: { node: string[] } }; steps: { run?: string }[] } };
  };
  const { steps, strategy } = workflow.jobs.checks;
  expect(strategy.matrix.node).toEqual(oldest.flatMap((version) => [version, version.split('.')[0]]));
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['.ci/run']);
});

test.each(oldest)('installs only packages that run on Node %s', (version) => {
  const tooNew = installed.filter(([, { engines }]) => !satisfies(version, engines?.node ?? '*'));
  expect(tooNew.map(([path, { engines }]) => `${path} needs ${engines?.node}`)).toEqual([]);
});

test('matches the packages in node_modules to the lock file', () => {
  const wrong = installed.flatMap(([path, locked]) => {
    const found = present(path);
    return found && found.version !== locked.version ? [`${path}: ${found.version}, locked ${locked.version}`] : [];
  });
  expect(wrong).toEqual([]);
});

/** Returns the installed package; undefined if the package is for a different system. */
function present(path: string): LockedPackage | undefined {
  try {
    return readJson(join(path, 'package.json')) as LockedPackage;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

test('locks all dependencies for every system, as `npm ci` requires', () => {
  const missing = installed.flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.entries({ ...dependencies, ...optionalDependencies })
      .filter(([name, range]) => !range.startsWith('npm:') && !satisfies(lockedVersion(path, name), range))
      .map(([name, range]) => `${path} needs ${name} ${range}`),
  );
  expect(missing).toEqual([]);
});

/** Returns the version that Node resolves from a package's folder: its own copy, or a copy in a parent folder. */
function lockedVersion(from: string, name: string): string {
  const own = lock.packages[`${from}/node_modules/${name}`];
  if (own) return own.version ?? '';
  const outer = from.lastIndexOf('/node_modules/');
  if (outer >= 0) return lockedVersion(from.slice(0, outer), name);
  return lock.packages[`node_modules/${name}`]?.version ?? '';
}

test('does not include a package with an install script', () => {
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
});

test('does not name a registry in the lock file', () => {
  expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});

test('depends only on packages that cannot be bundled', () => {
  expect(Object.keys(manifest.dependencies)).toEqual(['node-sqlite3-wasm']);
  expect(Object.keys(manifest.optionalDependencies)).toEqual(['@napi-rs/keyring']);
});
