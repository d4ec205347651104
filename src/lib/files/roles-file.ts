// The roles manifest as a file: written in a stable order, brought up to date without losing comments or order.
import type { ManifestReply } from '../contract/roles.ts';
import { stringifyJson } from '../kernel/json.ts';
import type { DocumentFormat } from './load.ts';
import { shortRole } from './roles-edits.ts';
import { updateJson } from './roles-json.ts';
import { readFileSync, statSync } from 'node:fs';
import { writeUserFile } from '../kernel/durable.ts';

/** Where editors find the JSON Schema, relative to the roles file. */
export const SCHEMA_HINT = '.cdpadm/roles.schema.json';

/** The text of a new file. `headline` is a comment for people (YAML only); above it stands the hint for editors. */
export async function writeManifestText(
  manifest: ManifestReply,
  format: DocumentFormat,
  headline: string,
): Promise<string> {
  if (format === 'json') return `${stringifyJson({ $schema: SCHEMA_HINT, ...inOrder(manifest) }, 2)}\n`;
  return `# yaml-language-server: $schema=${SCHEMA_HINT}\n${await writeLooseManifestText(manifest, headline)}`;
}

/** The same as YAML that has no schema beside it. */
export async function writeLooseManifestText(manifest: ManifestReply, headline: string): Promise<string> {
  return `# ${headline}\n${await yamlText(manifest)}`;
}

/**
 * The text of a valid roles file brought up to date: changed fields are replaced, tasks added and removed, roles
 * appended or taken out; comments, order and everything else stay, in YAML to the byte. Fields that the file or the
 * manifest does not mention are left alone. Undefined for YAML that cannot be edited in place.
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

/** The manifest as YAML below the comment that `text` begins with. */
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

/** Replaces `read` by `updated`; a byte-order mark stays. `stream` is a pipe or a device, which is not written to. */
export function writeBack(path: string, read: string, updated: string): 'written' | 'changed' | 'stream' {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status && !status.isFile()) return 'stream';
  const text = status && readFileSync(path, 'utf8');
  const mark = text?.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  if (text !== mark + read) return 'changed';
  writeUserFile(path, mark + updated);
  return 'written';
}
