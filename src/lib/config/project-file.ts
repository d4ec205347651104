// `.cdpadm.yaml`: settings that a repository shares with its users, but never credentials or trust settings.
import * as fs from 'node:fs';
import * as z from 'zod/mini';
import { parseWith } from '../contract/explain.ts';
import { cannotRead, type KnownError } from '../kernel/errors.ts';
import { isRecord } from '../kernel/json.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { sizeText } from '../kernel/words.ts';
import { readYaml } from '../kernel/yaml.ts';
import { OWN_FIELDS, SHARED_FIELDS } from './profile-schema.ts';
import { SECRET_NAMES } from './setting-fields.ts';
import { type LocatedIssue, unusableFile } from './settings-file.ts';

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
  const { value, problems, offsetOf } = await readYaml(text);
  if (problems.length > 0) {
    const found = problems.map(({ message, offset }) => ({ message, offset: () => offset }));
    throw unusable(file, text, found);
  }
  if (value !== null && !isRecord(value)) {
    throw unusable(file, text, [{ message: 'must be a list of `name: value` lines', offset: () => 0 }]);
  }
  const { data, issues: found } = parseWith(ProjectSettings, value ?? {});
  if (data) {
    const { $schema: _hint, profile, ...settings } = data;
    return { file, profile, settings };
  }
  const located = found.map((one) => {
    const message = one.at === 'key' ? unknownField(one.message, one.path) : one.message;
    return { ...one, message, offset: () => offsetOf(one.path, 'key') };
  });
  throw unusable(file, text, located);
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
