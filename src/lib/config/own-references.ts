// References that lead to a secret of this program: a definition file may not send one to a warehouse.
import { join, sep } from 'node:path';
import { parseReference } from './secret-file.ts';
import { readSettingsFile } from './settings-file.ts';

/** The variables and keychain entries that any profile names for its secrets, each with the setting that it is for. */
export async function profileReferences(folder: string): Promise<{ name: string; reference: string }[]> {
  const { profiles } = await readSettingsFile(folder);
  return [...profiles.values()].flatMap(({ secrets = {} }) =>
    Object.entries(secrets).flatMap(([name, text]) => {
      const parsed = typeof text === 'string' ? parseReference(text) : undefined;
      return parsed?.kind === 'env' || parsed?.kind === 'keychain'
        ? [{ name, reference: spelling(text as string) }]
        : [];
    }),
  );
}

/** `env: NAME` as `env:NAME`. */
function spelling(reference: string): string {
  return reference.replace(/:\s*/, ':').trimEnd();
}

/** Whether a reference other than `file:` leads to a secret of this program; `held` are those of the profiles. */
export function isOwnReference(reference: string, held: readonly { reference: string }[]): boolean {
  const text = spelling(reference);
  return /^env:CDPADM_/i.test(text) || held.some((it) => it.reference === text);
}

/** Whether a file, by its real path, holds secrets or tokens of this program. */
export function isOwnFile(path: string, folders: { config: string; cache: string }): boolean {
  return [join(folders.config, 'secrets'), folders.cache].some((folder) => path.startsWith(folder + sep));
}
