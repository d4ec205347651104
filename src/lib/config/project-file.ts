// `.cdpadm.yaml`: settings that a repository shares with its users, but never credentials or decisions about trust.
import * as fs from 'node:fs';
import * as z from 'zod/mini';
import { explainIssues, OWN_WORDS, showPath } from '../contract/explain.ts';
import { type KnownError, type Issue, invalidInput, MOST_ISSUES, placeAt } from '../kernel/errors.ts';
import { cannotRead } from '../kernel/file-failure.ts';
import { nearest } from '../kernel/nearest.ts';
import { OWN_FIELDS, SHARED_FIELDS } from './profile-schema.ts';
import { SECRET_NAMES } from './setting-fields.ts';
import { placeFinder } from './settings-file.ts';

/** A typical file has a few hundred bytes. */
const MAX_BYTES = 256 * 1024;

const ProjectSettings = z.strictObject({
  $schema: z.optional(z.string()),
  profile: z.optional(z.string()),
  ...SHARED_FIELDS,
});

export interface ProjectFile {
  file: string;
  /** The profile to use. */
  profile: string | undefined;
  settings: Omit<z.infer<typeof ProjectSettings>, '$schema' | 'profile'>;
}

/** Reads the file. Throws KnownError invalid input (9) with the position of bad YAML, unknown fields or credentials. */
export async function readProjectFile(file: string): Promise<ProjectFile> {
  const text = readText(file);
  const { isMap, parseDocument } = await import('yaml');
  const document = parseDocument(text, { intAsBigInt: true, prettyErrors: false, stringKeys: true });
  const mistakes = [...document.errors, ...document.warnings];
  if (mistakes.length > 0) {
    const issues = mistakes.slice(0, MOST_ISSUES).map(({ code, message, pos }) => {
      return {
        file,
        path: '',
        ...placeAt(text, pos[0]),
        message: code === 'DUPLICATE_KEY' ? 'duplicate key' : message,
      };
    });
    throw unusable(file, issues, mistakes.length);
  }
  if (document.contents !== null && !isMap(document.contents)) {
    throw unusable(file, [{ file, path: '', line: 1, column: 1, message: 'must be a list of `name: value` lines' }]);
  }
  let value: Record<string, unknown>;
  try {
    value = (document.toJS({ maxAliasCount: 20 }) ?? {}) as Record<string, unknown>;
  } catch (error) {
    throw unusable(file, [{ file, path: '', line: 1, column: 1, message: (error as Error).message }]);
  }
  const result = ProjectSettings.safeParse(value, OWN_WORDS);
  if (result.success) {
    const { $schema: _hint, profile, ...settings } = result.data;
    return { file, profile, settings };
  }
  const place = await placeFinder(text);
  const explained = explainIssues(result.error.issues, value);
  const issues = explained.slice(0, MOST_ISSUES).map(({ at, path, message }) => ({
    file,
    path: showPath(path),
    ...place(path),
    message: at === 'key' ? unknownField(message, path) : message,
  }));
  throw unusable(file, issues, explained.length);
}

function unknownField(message: string, path: readonly (string | number)[]): string {
  const [name] = path;
  if (path.length !== 1 || typeof name !== 'string') return message;
  if (name === 'secrets' || SECRET_NAMES.some((secret) => secret === name)) {
    return 'a repository must not contain credentials; put it in a profile';
  }
  if (OWN_FIELDS.includes(name)) return 'a repository must not set this; put it in a profile';
  const guess = nearest(name, ['profile', ...Object.keys(SHARED_FIELDS)]);
  return guess === undefined ? message : `${message}; did you mean \`${guess}\`?`;
}

function readText(file: string): string {
  try {
    if (fs.statSync(file).size > MAX_BYTES) {
      throw unusable(file, [{ file, path: '', message: `is larger than ${MAX_BYTES / 1024} kB` }]);
    }
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    throw cannotRead(file, error);
  }
}

function unusable(file: string, issues: Issue[], count = issues.length): KnownError {
  return invalidInput(
    `The project file ${file} cannot be used.`,
    issues,
    `It may contain ${['profile', ...Object.keys(SHARED_FIELDS)].join(', ')}. Put anything else in a profile.`,
    count - issues.length,
  );
}
