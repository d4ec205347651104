// The bill of materials is valid CycloneDX and lists the same packages as the notices.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
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
}

const text = readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8');
const { components, metadata } = JSON.parse(text) as {
  components: Component[];
  metadata: { tools: { components: Component[] } };
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

test('lists the packages of the notices and those that npm installs', () => {
  const noted = [...notices.matchAll(/^-{80}\n\n(\S+ \S+ \(\S+\))$/gm)].map(([, head]) => head);
  const heads = components.filter(isBundled).map((item) => {
    return `${nameOf(item)} ${item.version} (${item.licenses[0]?.license.id})`;
  });
  expect(noted.length).toBeGreaterThan(40);
  expect(heads.sort()).toEqual(noted.sort());
  const installed = components.filter((item) => !isBundled(item)).map(nameOf);
  const native = Object.keys(lock.packages['node_modules/@napi-rs/keyring']?.optionalDependencies ?? {});
  expect(native).toContain('@napi-rs/keyring-linux-x64-gnu');
  expect(installed.sort()).toEqual(['@napi-rs/keyring', ...native, 'node-sqlite3-wasm'].sort());
});

test('names package, version and source of each component, with the hash of its archive in the lock file', () => {
  const hashes = Object.entries(lock.packages).map(([path, { integrity, version }]) => {
    const name = path.replace(/^.*node_modules\//, '');
    return `${name}@${version} ${Buffer.from((integrity ?? '').slice('sha512-'.length), 'base64').toString('hex')}`;
  });
  for (const item of [...components, ...metadata.tools.components]) {
    expect(item.purl).toBe(`pkg:npm/${nameOf(item).replace('@', '%40')}@${item.version}`);
    expect(item.externalReferences).toEqual([{ type: 'vcs', url: expect.stringMatching(/^https:\/\/github\.com\//) }]);
    expect(item.hashes.map(({ alg }) => alg)).toEqual(['SHA-512']);
    expect(hashes).toContain(`${nameOf(item)}@${item.version} ${item.hashes[0]?.content}`);
  }
});

test('names the tools that listed the packages and wrote the document', () => {
  expect(metadata.tools.components.map(nameOf).sort()).toEqual(['@cyclonedx/cyclonedx-library', 'rolldown']);
});

test('writes no time and no serial number, so that builds are reproducible', () => {
  expect(text).not.toMatch(/timestamp|serialNumber/);
});

test('names the source of the MPL-2.0 package and marks it as modified', () => {
  expect(notices).toMatch(/\(MPL-2\.0\)\nSource: https:\/\/github\.com\/\S+\nThis copy is modified: /);
});
