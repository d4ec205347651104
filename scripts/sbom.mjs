// Creates the software bill of materials in CycloneDX format. It lists the program, the bundled packages, the packages
// that npm installs with the program, and SQLite, which is compiled into one of these packages. The document has no
// timestamp or serial number, so that builds are reproducible.
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';

const { ComponentScope, ComponentType, ExternalReferenceType, HashAlgorithm } = Enums;

/** The package that contains SQLite, compiled to WebAssembly. */
const SQLITE_PACKAGE = 'node-sqlite3-wasm';

/**
 * @typedef {object} Program `package.json`
 * @property {string} name
 * @property {string} version
 * @property {string} license
 * @property {string} description
 * @property {Record<string, string>} dependencies
 * @property {Record<string, string>} optionalDependencies
 * @property {Record<string, string>} devDependencies
 */

/**
 * @param {Program} program
 * @param {import('./packages.mjs').Package[]} bundled
 * @param {import('./packages.mjs').Package[]} installed
 * @param {import('./packages.mjs').Package[]} tools the programs that list the packages and write the document
 * @param {string} sqlite the version of SQLite
 * @returns {string} JSON
 */
export function sbom(program, bundled, installed, tools, sqlite) {
  const bom = new Models.Bom();
  const root = new Models.Component(ComponentType.Application, program.name, {
    bomRef: purlOf(program),
    version: program.version,
    description: program.description,
    purl: purlOf(program),
  });
  root.licenses.add(new Models.SpdxLicense(program.license));
  bom.metadata.component = root;
  for (const tool of tools) bom.metadata.tools.components.add(componentOf(tool));
  /** @type {Map<string, import('@cyclonedx/cyclonedx-library').Models.Component>} */
  const known = new Map();
  for (const item of [...bundled, ...installed]) {
    const scope = item.name in program.optionalDependencies ? ComponentScope.Optional : ComponentScope.Required;
    const component = componentOf(item, scope, bundled.includes(item) ? 'bundled' : 'installed next to the program');
    bom.components.add(component);
    known.set(item.name, component);
    // Optional parts of a bundled library are not in the bundle.
    for (const part of installed.includes(item) ? item.parts : []) {
      const native = componentOf(part, ComponentScope.Optional, 'installed next to the program, on its system only');
      bom.components.add(native);
      component.dependencies.add(native.bomRef);
    }
  }
  const needed = new Set();
  for (const item of [...bundled, ...installed])
    for (const name of item.dependencies.filter((other) => known.has(other))) {
      dependOn(known.get(item.name), known.get(name));
      needed.add(name);
    }
  const own = { ...program.dependencies, ...program.optionalDependencies, ...program.devDependencies };
  for (const [name, component] of known) if (name in own || !needed.has(name)) dependOn(root, component);
  const database = sqliteOf(sqlite);
  bom.components.add(database);
  dependOn(known.get(SQLITE_PACKAGE), database);
  const normalizer = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const text = new Serialize.JsonSerializer(normalizer).serialize(bom, { sortLists: true });
  /** @type {{components: {'bom-ref': string, pedigree?: object}[]}} */
  const document = JSON.parse(text);
  // The CycloneDX library does not support pedigrees.
  const changes = new Map(bundled.map((item) => [purlOf(item), item.changes]));
  for (const component of document.components) {
    const notes = changes.get(component['bom-ref']);
    if (notes !== undefined) component.pedigree = { notes };
  }
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** @param {string} version */
function sqliteOf(version) {
  const purl = `pkg:generic/sqlite@${version}`;
  const component = new Models.Component(ComponentType.Library, 'sqlite', {
    bomRef: purl,
    version,
    purl,
    cpe: `cpe:2.3:a:sqlite:sqlite:${version}:*:*:*:*:*:*:*`,
    scope: ComponentScope.Required,
  });
  component.licenses.add(new Models.SpdxLicense('blessing'));
  component.properties.add(new Models.Property('cdpadm:delivery', `compiled into ${SQLITE_PACKAGE}`));
  return component;
}

/**
 * @param {import('@cyclonedx/cyclonedx-library').Models.Component | undefined} one
 * @param {import('@cyclonedx/cyclonedx-library').Models.Component | undefined} other
 */
function dependOn(one, other) {
  if (one === undefined || other === undefined) throw new Error('A dependency is not a component.');
  one.dependencies.add(other.bomRef);
}

/**
 * @param {import('./packages.mjs').Package} item
 * @param {import('@cyclonedx/cyclonedx-library').Enums.ComponentScope} [scope]
 * @param {string} [delivery]
 */
function componentOf(item, scope, delivery) {
  const [name = '', group] = item.name.split('/').toReversed();
  const component = new Models.Component(ComponentType.Library, name, {
    bomRef: purlOf(item),
    version: item.version,
    group,
    purl: purlOf(item),
    scope,
  });
  component.licenses.add(new Models.SpdxLicense(item.license));
  // The hash of the archive that the package URL identifies; it is the same in every registry.
  const hash = Buffer.from(item.integrity.replace('sha512-', ''), 'base64').toString('hex');
  component.hashes.set(HashAlgorithm['SHA-512'], hash);
  component.externalReferences.add(new Models.ExternalReference(item.source, ExternalReferenceType.VCS));
  if (delivery !== undefined) component.properties.add(new Models.Property('cdpadm:delivery', delivery));
  return component;
}

/** @param {{name: string, version: string}} item */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
