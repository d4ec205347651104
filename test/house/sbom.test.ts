// The bill of materials is valid CycloneDX and lists the same packages as the notices.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import sqlite from 'node-sqlite3-wasm';
import { expect, test } from 'vitest';
import { root } from '../helpers/root.ts';

interface Component {
  group?: string;
  name: string;
  version: string;
  licenses: { license: { id: string } }[];
  purl: string;
  hashes: { alg: string; content: string }[];
  externalReferences: { type: string; url: string }[];
  properties: { value: string }[];
  cpe?: string;
  pedigree?: { notes: string };
  'bom-ref': string;
}

const text = readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8');
const { components, dependencies, metadata } = JSON.parse(text) as {
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
  metadata: { component: Component; tools: { components: Component[] } };
};
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { version: string; integrity?: string; optionalDependencies?: Record<string, string> }>;
};
const notices = readFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');

const nameOf = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);
const isBundled = ({ properties: [delivery] }: Component): boolean => delivery?.value.startsWith('bundled') === true;

test('writes a valid CycloneDX 1.6 document', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  expect(await validator.validate(text)).toBeNull();
});

test('lists the packages in the notices and those that npm installs', () => {
  const noted = [...notices.matchAll(/^-{80}\n\n(\S+ \S+ \(\S+\))$/gm)].map(([, head]) => head);
  const heads = components.filter(isBundled).map((item) => {
    return `${nameOf(item)} ${item.version} (${item.licenses[0]?.license.id})`;
  });
  expect(noted.length).toBeGreaterThan(40);
  expect(heads.sort()).toEqual(noted.sort());
  const installed = components.filter((item) => !isBundled(item)).map(nameOf);
  const native = Object.keys(lock.packages['node_modules/@napi-rs/keyring']?.optionalDependencies ?? {});
  expect(native).toContain('@napi-rs/keyring-linux-x64-gnu');
  expect(installed.sort()).toEqual(['@napi-rs/keyring', ...native, 'node-sqlite3-wasm', 'sqlite'].sort());
});

test("lists each component's package, version, source and archive hash from the lock file", () => {
  const hashes = Object.entries(lock.packages).map(([path, { integrity, version }]) => {
    const name = path.replace(/^.*node_modules\//, '');
    return `${name}@${version} ${Buffer.from((integrity ?? '').slice('sha512-'.length), 'base64').toString('hex')}`;
  });
  const packages = components.filter(({ name }) => name !== 'sqlite');
  for (const item of [...packages, ...metadata.tools.components]) {
    expect(item.purl).toBe(`pkg:npm/${nameOf(item).replace('@', '%40')}@${item.version}`);
    expect(item.externalReferences).toEqual([{ type: 'vcs', url: expect.stringMatching(/^https:\/\/github\.com\//) }]);
    expect(item.hashes.map(({ alg }) => alg)).toEqual(['SHA-512']);
    expect(hashes).toContain(`${nameOf(item)}@${item.version} ${item.hashes[0]?.content}`);
  }
});

test('lists the SQLite version, so that scanners can find its known vulnerabilities', () => {
  const database = new sqlite.Database(':memory:');
  const { version } = database.get('SELECT sqlite_version() AS version') as { version: string };
  database.close();
  expect(components.find(({ name }) => name === 'sqlite')).toMatchObject({
    version,
    cpe: `cpe:2.3:a:sqlite:sqlite:${version}:*:*:*:*:*:*:*`,
    licenses: [{ license: { id: 'blessing' } }],
  });
});

test('states for each bundled package, and for no other, how its code was modified', () => {
  for (const item of components) {
    const noted = notices.includes(`This copy is ${item.pedigree?.notes}.`);
    expect({ name: item.name, noted }).toEqual({ name: item.name, noted: isBundled(item) });
  }
});

test('shows which package depends on which, from the program down to each component', () => {
  const below = new Map(dependencies.map(({ dependsOn = [], ref }) => [ref, dependsOn]));
  const names = new Map([metadata.component, ...components].map((item) => [item['bom-ref'], nameOf(item)]));
  const reached = new Set<string>();
  const visit = (ref: string): void => {
    if (reached.has(ref)) return;
    reached.add(ref);
    for (const next of below.get(ref) ?? []) visit(next);
  };
  visit(metadata.component['bom-ref']);
  expect(reached).toEqual(new Set(names.keys()));
  const namesBelow = (name: string): (string | undefined)[] =>
    dependencies
      .filter(({ ref }) => names.get(ref) === name)
      .flatMap(({ dependsOn = [] }) => dependsOn.map((ref) => names.get(ref)));
  expect(namesBelow('node-sqlite3-wasm')).toEqual(['sqlite']);
  expect(namesBelow('cli-table3')).toEqual(['string-width']);
  expect(namesBelow('cdpadm')).not.toContain('string-width');
});

test('names the tools that listed the packages and wrote the document', () => {
  expect(metadata.tools.components.map(nameOf).sort()).toEqual(['@cyclonedx/cyclonedx-library', 'rolldown']);
});

test('does not write a time or a serial number, so that builds are reproducible', () => {
  expect(text).not.toMatch(/timestamp|serialNumber/);
});

test('names the source of the MPL-2.0 package and marks the package as modified', () => {
  expect(notices).toMatch(/\(MPL-2\.0\)\nSource: https:\/\/github\.com\/\S+\nThis copy is modified: /);
});
