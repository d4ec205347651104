// The references of a definition with their places in its file.
import type { Definition, ResourceType } from '../../lib/domain/warehouse/definition.ts';
import { secretUses } from '../../lib/domain/warehouse/secrets.ts';
import { placeIssues } from '../../lib/files/load.ts';
import type { DirectoryFile } from '../../lib/files/warehouse-dir.ts';
import type { JudgedReference } from '../../lib/runtime/reference-rules.ts';

export function referencesOf(entry: {
  type: ResourceType;
  definition: Definition;
  folder: string;
  file: DirectoryFile;
}): JudgedReference[] {
  return secretUses(entry.type, entry.definition).map(({ path, reference }) => ({
    reference,
    folder: entry.folder,
    given: false,
    issue: (message) => {
      const [issue] = placeIssues(entry.file.document, [{ path: [...path], message }]);
      return issue ?? { path: path.join('.'), message };
    },
  }));
}
