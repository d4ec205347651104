// Writes the software bill of materials in CycloneDX: the program, the packages in its bundle, and those that npm
// installs next to it. The document has no time and no serial number, so that builds are reproducible.
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';

const { ComponentScope, ComponentType, ExternalReferenceType, HashAlgorithm } = Enums;

/**
 * @param {{name: string, version: string, license: string, description: string, optionalDependencies: object}} program
 * @param {import('./packages.mjs').Package[]} bundled
 * @param {import('./packages.mjs').Package[]} installed
 * @param {import('./packages.mjs').Package[]} tools the programs that list the packages and write the document
 * @returns {string} JSON
 */
export function sbom(program, bundled, installed, tools) {
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
  for (const item of [...bundled, ...installed]) {
    const scope = item.name in program.optionalDependencies ? ComponentScope.Optional : ComponentScope.Required;
    const place = bundled.includes(item) ? `bundled, ${item.changes}` : 'installed next to the program';
    const component = componentOf(item, scope, place);
    bom.components.add(component);
    root.dependencies.add(component.bomRef);
    // Optional parts of a bundled library are not in the bundle.
    for (const part of installed.includes(item) ? item.parts : []) {
      const native = componentOf(part, ComponentScope.Optional, 'installed next to the program, on its system only');
      bom.components.add(native);
      component.dependencies.add(native.bomRef);
    }
  }
  const normalizer = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return `${new Serialize.JsonSerializer(normalizer).serialize(bom, { sortLists: true, space: 2 })}\n`;
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
  // The hash of the archive; the package URL says which archive, in whatever registry it is kept.
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
