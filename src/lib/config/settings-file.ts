// Reads `config.json`, and writes it with the `conf` package under a lock. A broken file is never overwritten.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FieldIssue, parseWith, showPath } from '../contract/explain.ts';
import type { Clock } from '../kernel/clock.ts';
import { ensurePrivateFolder, readPrivateFile } from '../kernel/durable.ts';
import { invalidInput, type KnownError, MOST_ISSUES, placeAt, writing } from '../kernel/errors.ts';
import { parseJson, parseJsonOr, stringifyJson } from '../kernel/json.ts';
import { findSpot, locateJson } from '../kernel/json-syntax.ts';
import { withLock } from '../kernel/lock.ts';
import { sweepTemporaryFiles } from '../kernel/temporary-file.ts';
import { FILE_VERSION, SettingsFile, unknownFields } from './profile-schema.ts';
import { CONFIG_NAME, settingsFilePath } from './paths.ts';
import { fail } from '../errors/fail.ts';

export type StoredSettings = Awaited<ReturnType<typeof readSettingsFile>>;

/** The settings file as JSON, including unknown fields. */
export interface RawSettings {
  version: number;
  current?: string;
  profiles: Record<string, unknown>;
  [unknown: string]: unknown;
}

/**
 * A missing file counts as empty. Throws KnownError invalid input (9) with the positions of the issues. The warnings are
 * about unknown fields, which the file keeps.
 */
export async function readSettingsFile(folder: string) {
  const { checked } = await readBoth(folder);
  const profiles = new Map(Object.entries(checked.profiles ?? {}));
  const warnings = [...profiles].flatMap(([name, profile]) =>
    unknownFields(profile).map(
      (field) =>
        `${settingsFilePath(folder)}: profile \`${name}\` has \`${field}\`, which this version does not support; it is kept.`,
    ),
  );
  return { current: checked.current, profiles, warnings };
}

/** Reads the file under a lock and calls `change`, which may edit the value and save it with `write`. */
export async function changeSettingsFile<T>(
  folder: string,
  clock: Clock,
  change: (raw: RawSettings, write: () => void) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  ensurePrivateFolder(folder);
  const { default: Conf } = await import('conf');
  async function work(): Promise<T> {
    const { raw } = await readBoth(folder);
    const store = new Conf<Record<string, unknown>>({
      cwd: folder,
      configName: CONFIG_NAME,
      projectSuffix: '',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      clearInvalidConfig: false,
      deserialize: (text) => parseJson(text) as Record<string, unknown>,
      serialize: (value) => `${stringifyJson(value, 2)}\n`,
    });
    return await change(raw, () => {
      sweep(folder);
      writing(settingsFilePath(folder), () => (store.store = raw));
    });
  }
  return await withLock(`${settingsFilePath(folder)}.lock`, clock, work, signal);
}

/** Removes temporary files of killed processes. Ignores errors. Under the lock, none of conf's files is in use. */
function sweep(folder: string): void {
  for (const path of [folder, join(folder, 'secrets')]) sweepTemporaryFiles(path);
  try {
    for (const name of readdirSync(folder)) {
      if (name.startsWith(`${CONFIG_NAME}.json.tmp-`)) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // Ignore the error: the files do no harm.
  }
}

async function readBoth(folder: string): Promise<{ raw: RawSettings; checked: SettingsFile }> {
  const file = settingsFilePath(folder);
  const text = readPrivateFile(file);
  if (text === undefined) return { raw: { version: FILE_VERSION, profiles: {} }, checked: {} };
  const value = parseText(file, text);
  const version = (value as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version > FILE_VERSION)
    throw fail('config.newer', {
      message: `${file} was written by a newer version of this program (format ${version}; this one supports ${FILE_VERSION}).`,
      hint: 'Update cdpadm, or set CDPADM_CONFIG_DIR to another folder.',
    });
  const { data: checked, issues } = parseWith(SettingsFile, value);
  if (!checked) {
    const root = locateJson(text);
    const found = issues.map((issue) => ({ ...issue, offset: () => findSpot(root, issue.path, 'key').offset }));
    throw broken(file, text, found);
  }
  const raw = value as Partial<RawSettings>;
  return { raw: { ...raw, version: FILE_VERSION, profiles: raw.profiles ?? {} }, checked };
}

function parseText(file: string, text: string): unknown {
  const value = parseJsonOr(text, ({ message, offset = 0 }) => {
    throw broken(file, text, [{ message, offset: () => offset }]);
  });
  const found: LocatedIssue[] = [];
  locateJson(text, (key, offset, members) => {
    if (members.has(key)) found.push({ message: 'duplicate key', offset: () => offset });
    else if (key === '__proto__') found.push({ message: 'unknown field', offset: () => offset + 1 });
  });
  if (found.length > 0) throw broken(file, text, found);
  return value;
}

function broken(file: string, text: string, found: readonly LocatedIssue[]): KnownError {
  const hint = 'Correct the file, or move it elsewhere to start over. An invalid file is never overwritten.';
  return unusableFile(`The settings file ${file}`, { file, text, found, hint });
}

export interface LocatedIssue extends Partial<FieldIssue> {
  message: string;
  offset?: () => number;
}

/** Returns the error for an unusable file. Locates only the issues that it lists: each search scans the text. */
export function unusableFile(
  subject: string,
  { file, text, found, hint }: { file: string; text: string; found: readonly LocatedIssue[]; hint: string },
): KnownError {
  const issues = found.slice(0, MOST_ISSUES).map(({ message, offset, path = [] }) => {
    return { file, path: showPath(path), ...(offset && placeAt(text, offset())), message };
  });
  return invalidInput(`${subject} cannot be used.`, issues, hint, found.length - issues.length);
}
