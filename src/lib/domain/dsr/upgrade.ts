// Upgrades bodies of versions 1 and 2 to version 3, and lists every change (specification, "Versioning").
import { API_VERSION, extensionKey } from '../../contract/dsr.ts';
import type { FieldIssue } from '../../contract/explain.ts';
import { EXTENSION_PREFIX } from '../../contract/dsr-rules.ts';
import { isRecord } from '../../kernel/json.ts';
import { isExtensionType } from './compose.ts';

type Entries = Record<string, unknown>;

/** `value` may be anything. `issues` are those that no upgrade can fix, with paths in the original body. */
export function upgradeRequest(value: unknown, vendorDomain: string) {
  if (!isRecord(value) || !isOlder(value)) return { value, changes: [], issues: [] };
  const changes: string[] = [];
  const issues: FieldIssue[] = [];
  const body: Entries = { ...value };
  if (body['api_version'] !== API_VERSION) {
    if (body['api_version'] !== undefined) changes.push(`api_version: ${showVersion(body)} became ${API_VERSION}`);
    body['api_version'] = API_VERSION;
  }
  const extensions: Entries = isRecord(body['extensions']) ? { ...body['extensions'] } : {};
  for (const [key, extension] of Object.entries(extensions)) {
    if (isRecord(extension)) extensions[key] = upgradeExtension(key, extension, changes, issues);
  }
  const own = keyed(body['subject_identities'], ['subject_identities'], changes, issues);
  if (isRecord(own)) {
    const moved = Object.keys(own).filter(isExtensionType);
    if (moved.length > 0) {
      const key =
        Object.keys(extensions).find((name) => name.startsWith(EXTENSION_PREFIX)) ?? extensionKey(vendorDomain);
      const extension: Entries = isRecord(extensions[key]) ? extensions[key] : {};
      const inside: Entries = isRecord(extension['subject_identities']) ? { ...extension['subject_identities'] } : {};
      for (const type of moved) {
        const message = `has \`${type}\` both here and in the vendor extension`;
        if (Object.hasOwn(inside, type)) issues.push({ path: ['subject_identities'], message });
        inside[type] = own[type];
        delete own[type];
        changes.push(`${type}: moved from subject_identities into extensions.${key}`);
      }
      extensions[key] = { ...extension, subject_identities: inside };
    }
    if (Object.keys(own).length > 0) body['subject_identities'] = own;
    else delete body['subject_identities'];
  }
  if (Object.keys(extensions).length > 0) body['extensions'] = extensions;
  return { value: body, changes, issues };
}

/** Earlier versions call an extension's list `identities`. */
function upgradeExtension(key: string, extension: Entries, changes: string[], issues: FieldIssue[]): Entries {
  const { identities, ...rest } = extension;
  if (identities !== undefined && rest['subject_identities'] === undefined) {
    changes.push(`extensions.${key}.identities: became subject_identities`);
    const list = keyed(identities, ['extensions', key, 'identities'], changes, issues);
    return { ...rest, subject_identities: list };
  }
  if (!Array.isArray(extension['subject_identities'])) return extension;
  const path = ['extensions', key, 'subject_identities'];
  return { ...extension, subject_identities: keyed(extension['subject_identities'], path, changes, issues) };
}

/** Converts a list of `{identity_type, identity_value, …}` to an object keyed by type. Other values are unchanged. */
function keyed(list: unknown, path: string[], changes: string[], issues: FieldIssue[]): unknown {
  if (!Array.isArray(list)) return isRecord(list) ? { ...list } : list;
  const result = new Map<string, unknown>();
  for (const [index, item] of (list as unknown[]).entries()) {
    const at = [...path, index];
    const type = isRecord(item) ? item['identity_type'] : undefined;
    if (!isRecord(item) || typeof type !== 'string') {
      issues.push({ path: at, message: 'needs an `identity_type`' });
      continue;
    }
    const second = `is a second \`${type}\`; version 3 allows one identity of each type, so submit a separate request for it`;
    if (result.has(type)) issues.push({ path: at, message: second });
    const format = item['identity_format'] ?? item['identity_encoding'] ?? item['encoding'] ?? 'raw';
    if (format !== 'raw') issues.push({ path: at, message: `must be raw, not ${showText(format)}` });
    result.set(type, { value: item['identity_value'] ?? item['value'], encoding: 'raw' });
  }
  changes.push(`${path.join('.')}: the list of ${list.length} became an object keyed by identity type`);
  return Object.fromEntries(result);
}

function isOlder(body: Entries): boolean {
  if (isOldVersion(body['api_version']) || Array.isArray(body['subject_identities'])) return true;
  const extensions = isRecord(body['extensions']) ? Object.values(body['extensions']).filter(isRecord) : [];
  return extensions.some((one) => Array.isArray(one['identities']) || Array.isArray(one['subject_identities']));
}

/** YAML reads `2.0` as the number 2. */
function isOldVersion(version: unknown): boolean {
  return typeof version === 'number' ? version >= 1 && version < 3 : /^v?[12](\.\d+)?$/.test(showText(version));
}

function showVersion(body: Entries): string {
  const version = body['api_version'];
  return typeof version === 'number' && Number.isInteger(version) ? `${version}.0` : showText(version);
}

function showText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
