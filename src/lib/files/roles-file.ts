// The roles manifest as a file: written in a stable order, updated without losing comments or order.
import type { ManifestReply } from '../contract/roles.ts';
import { stringifyJson } from '../kernel/json.ts';
import type { DocumentFormat } from './load.ts';
import { shortRole, updateJson } from './roles-edits.ts';
import { readFileSync, statSync } from 'node:fs';
import { writeUserFile } from '../kernel/durable.ts';

/** The path of the JSON Schema for editors, relative to the roles file. */
export const SCHEMA_HINT = '.cdpadm/roles.schema.json';

/** The text of a new file. In YAML, `headline` is a comment below the schema hint for editors. */
export async function writeManifestText(
  manifest: ManifestReply,
  format: DocumentFormat,
  headline: string,
): Promise<string> {
  if (format === 'json') return `${stringifyJson({ $schema: SCHEMA_HINT, ...inOrder(manifest) }, 2)}\n`;
  return `# yaml-language-server: $schema=${SCHEMA_HINT}\n${await writeLooseManifestText(manifest, headline)}`;
}

/** The manifest as YAML without a schema hint. */
export async function writeLooseManifestText(manifest: ManifestReply, headline: string): Promise<string> {
  return `# ${headline}\n${await yamlText(manifest)}`;
}

/**
 * Updates the text of a valid roles file: replaces fields, adds and removes tasks and roles. Comments, order and all else
 * stay, in YAML to the byte, as do fields that the file or the manifest does not have. Undefined for YAML that cannot be
 * edited in place.
 */
export async function updateManifestText(
  text: string,
  format: DocumentFormat,
  manifest: ManifestReply,
): Promise<string | undefined> {
  if (format === 'json') return updateJson(text, manifest);
  const [yaml, { updateYaml }] = await Promise.all([import('yaml'), import('./roles-yaml.ts')]);
  return updateYaml(yaml, text, manifest);
}

/** The manifest as YAML below the comment at the start of `text`. */
export async function rewriteManifestText(text: string, manifest: ManifestReply): Promise<string> {
  const head = /^(?:[ \t]*(?:#.*)?\r?\n)*/.exec(text)?.[0] ?? '';
  return `${head}${await yamlText(manifest)}`;
}

async function yamlText(manifest: ManifestReply): Promise<string> {
  const [yaml, { blockText }] = await Promise.all([import('yaml'), import('./yaml-text.ts')]);
  const { roles, ...fields } = inOrder(manifest);
  return blockText(yaml, { ...fields, roles: roles.map(shortRole) });
}

/** Stamps first, roles last. */
function inOrder({ roles, last_modified_on, last_modified_by, ...extra }: ManifestReply): ManifestReply {
  return { last_modified_on, last_modified_by, ...extra, roles };
}

const BYTE_ORDER_MARK = '\ufeff';

/** Replaces `read` by `updated` and keeps a byte-order mark. `stream`: a pipe or a device, which is not written. */
export function writeBack(path: string, read: string, updated: string): 'written' | 'changed' | 'stream' {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status && !status.isFile()) return 'stream';
  const text = status && readFileSync(path, 'utf8');
  const mark = text?.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  if (text !== mark + read) return 'changed';
  writeUserFile(path, mark + updated);
  return 'written';
}
