// `.cdpadm.yaml`: settings that a repository shares with its users, but never credentials or trust settings.
import * as fs from 'node:fs';
import * as z from 'zod/mini';
import { parseWith } from '../contract/explain.ts';
import { cannotRead, type KnownError } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { sizeText } from '../kernel/words.ts';
import { OWN_FIELDS, SHARED_FIELDS } from './profile-schema.ts';
import { SECRET_NAMES } from './setting-fields.ts';
import { type LocatedIssue, locateIssues, unusableFile } from './settings-file.ts';

/** Maximum size; a typical file has a few hundred bytes. */
const MAX_BYTES = 256 * 1024;

const ProjectSettings = z.strictObject({
  $schema: z.optional(z.string()),
  profile: z.optional(z.string()),
  ...SHARED_FIELDS,
});

export type ProjectFile = Awaited<ReturnType<typeof readProjectFile>>;

/** Reads the file. Throws KnownError invalid input (9) with the position of each issue, such as a credential. */
export async function readProjectFile(file: string) {
  let text: string;
  try {
    if (fs.statSync(file).size > MAX_BYTES)
      throw unusable(file, '', [{ message: `is larger than ${sizeText(MAX_BYTES)}` }]);
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    throw cannotRead(file, error);
  }
  const { isMap, parseDocument } = await import('yaml');
  const document = parseDocument(text, { intAsBigInt: true, prettyErrors: false, stringKeys: true });
  const mistakes = [...document.errors, ...document.warnings].map(({ code, message, pos }) => {
    return { message: code === 'DUPLICATE_KEY' ? 'duplicate key' : message, offset: () => pos[0] };
  });
  if (mistakes.length > 0) throw unusable(file, text, mistakes);
  if (document.contents !== null && !isMap(document.contents)) {
    throw unusable(file, text, [{ message: 'must be a list of `name: value` lines', offset: () => 0 }]);
  }
  let value: Record<string, unknown>;
  try {
    value = (document.toJS({ maxAliasCount: 20 }) ?? {}) as Record<string, unknown>;
  } catch (error) {
    throw unusable(file, text, [{ message: (error as Error).message, offset: () => 0 }]);
  }
  const { data, issues: found } = parseWith(ProjectSettings, value);
  if (data) {
    const { $schema: _hint, profile, ...settings } = data;
    return { file, profile, settings };
  }
  const issues = await locateIssues(found, text);
  throw unusable(
    file,
    text,
    issues.map((one) => (one.at === 'key' ? { ...one, message: unknownField(one.message, one.path) } : one)),
  );
}

function unknownField(message: string, path: readonly (string | number)[]): string {
  const [name] = path;
  if (path.length !== 1 || typeof name !== 'string') return message;
  if (name === 'secrets' || SECRET_NAMES.some((secret) => secret === name)) {
    return 'a repository must not contain credentials; put them in a profile';
  }
  if (OWN_FIELDS.includes(name)) return 'a repository must not set this; put it in a profile';
  return message + didYouMean(name, ['profile', ...Object.keys(SHARED_FIELDS)]);
}

function unusable(file: string, text: string, found: readonly LocatedIssue[]): KnownError {
  const hint = `The file may contain ${['profile', ...Object.keys(SHARED_FIELDS)].join(', ')}. Put anything else in a profile.`;
  return unusableFile(`The project file ${file}`, { file, text, found, hint });
}
