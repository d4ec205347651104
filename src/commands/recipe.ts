// The workflow files of `docs/recipes`. This module and its built chunk are both two folders below the package root.
import { readFile } from 'node:fs/promises';

export function recipe(name: string): Promise<string> {
  return readFile(new URL(`../../docs/recipes/${name}`, import.meta.url), 'utf8');
}
