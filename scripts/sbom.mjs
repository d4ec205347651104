// Writes the software bill of materials in CycloneDX: the program, the packages in its bundle, and those that npm
// installs next to it. It has no time and no serial number, so that builds are reproducible.
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';

const { ComponentScope, ComponentType, ExternalReferenceType } = Enums;

/**
 * @param {{name: string, version: string, license: string, description: string, optionalDependencies: object}} program
 * @param {import('./packages.mjs').Package[]} bundled
 * @param {import('./packages.mjs').Package[]} installed
 * @returns {string} JSON
 */
export function sbom(program, bundled, installed) {
  const bom = new Models.Bom();
  const root = new Models.Component(ComponentType.Application, program.name, {
    bomRef: purlOf(program),
    version: program.version,
    description: program.description,
    purl: purlOf(program),
  });
  root.licenses.add(new Models.SpdxLicense(program.license));
  bom.metadata.component = root;
  for (const item of [...bundled, ...installed]) {
    const [name = '', group] = item.name.split('/').toReversed();
    const component = new Models.Component(ComponentType.Library, name, {
      bomRef: purlOf(item),
      version: item.version,
      group,
      purl: purlOf(item),
      scope: item.name in program.optionalDependencies ? ComponentScope.Optional : ComponentScope.Required,
    });
    component.licenses.add(new Models.SpdxLicense(item.license));
    component.externalReferences.add(new Models.ExternalReference(item.source, ExternalReferenceType.VCS));
    const place = bundled.includes(item) ? `bundled, ${item.changes}` : 'installed next to the program';
    component.properties.add(new Models.Property('cdpadm:delivery', place));
    bom.components.add(component);
    root.dependencies.add(component.bomRef);
  }
  const normalizer = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return `${new Serialize.JsonSerializer(normalizer).serialize(bom, { sortLists: true, space: 2 })}\n`;
}

/** @param {{name: string, version: string}} item */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
