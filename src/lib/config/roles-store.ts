// What this machine remembers of a roles manifest: the bases of pulled files and every manifest seen before a write.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { looseObject, nullable, string, type ZodMiniType } from 'zod/mini';
import { ManifestReply } from '../contract/roles.ts';
import type { Clock } from '../kernel/clock.ts';
import { readPrivateFile, removeFile, writePrivateFile } from '../kernel/durable.ts';
import { canonicalJson, JsonError, parseJson, stringifyJson } from '../kernel/json.ts';
import { withLock } from '../kernel/lock.ts';

/** Bases beyond this many are forgotten, oldest first: a file that old falls under the rule for files without one. */
const MAX_BASES = 200;

/** A manifest as it was before a write. */
export interface Revision {
  /** Sortable and unique: `20261121T080000123Z-1f3a9c`. */
  revision: string;
  /** ISO 8601. */
  saved_at: string;
  /** What was about to happen: `push`, `edit`, `rollback` … */
  reason: string;
  profile: string | null;
  /** The plan that was about to be applied. */
  plan: string;
  manifest: ManifestReply;
}

const SavedRevision = looseObject({
  revision: string(),
  saved_at: string(),
  reason: string(),
  profile: nullable(string()),
  plan: string(),
  manifest: ManifestReply,
});

export type RolesStore = ReturnType<typeof openRolesStore>;

type Stamp = Pick<ManifestReply, 'last_modified_on' | 'last_modified_by'>;

function digest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** The names of the saved revisions, newest first, and nothing of what is in them; without an organization those of any. */
export function revisionNames(
  stateFolder: string,
  { organization, address }: { organization: string | undefined; address: string },
): string[] {
  const folder = join(stateFolder, 'roles');
  if (!existsSync(folder)) return [];
  const own = readdirSync(folder).filter((name) => {
    const [, of = '', key] = /^(\d+)-(\w+)$/.exec(name) ?? [];
    return (organization ?? of) === of && key === keyOf({ organization: of, address });
  });
  return own.flatMap((name) => jsonFiles(join(folder, name, 'history'))).map((name) => name.slice(0, -'.json'.length));
}

function keyOf(scope: { organization: string; address: string }): string {
  return digest(scope).slice(0, 16);
}

/** The newest first. */
function jsonFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse();
}

/** Opens the memory of one organization at one address below the state directory. */
export function openRolesStore(stateFolder: string, scope: { organization: string; address: string }, clock: Clock) {
  const folder = join(stateFolder, 'roles', `${scope.organization}-${keyOf(scope)}`);
  const bases = join(folder, 'bases');
  const history = join(folder, 'history');

  /** Undefined for a file that is gone, or that a failing disk or a hand left unusable: the others still count. */
  function read<T>(path: string, schema: ZodMiniType<T>): T | undefined {
    const text = readPrivateFile(path);
    if (text === undefined) return undefined;
    try {
      const value = parseJson(text);
      return schema.safeParse(value).success ? (value as T) : undefined;
    } catch (error) {
      if (error instanceof JsonError) return undefined;
      throw error;
    }
  }

  function stampName(): string {
    return new Date(clock.now()).toISOString().replace(/[-:.]/g, '');
  }

  /** `-<stamp>-<content>.json`: the end of a base's file name, so that finding one by its stamp reads no other. */
  function baseSuffix(manifest: ManifestReply): string {
    return `${stampKey(manifest)}${digest(manifest).slice(0, 24)}.json`;
  }

  function stampKey({ last_modified_on, last_modified_by }: Stamp): string {
    return `-${digest([last_modified_on ?? null, last_modified_by ?? null]).slice(0, 12)}-`;
  }

  return {
    /** Remembers a manifest that a file on disk now stands for. */
    saveBase: (manifest: ManifestReply): void => {
      const suffix = baseSuffix(manifest);
      const name = `${stampName()}${suffix}`;
      const others = jsonFiles(bases).filter((other) => other !== name);
      writePrivateFile(join(bases, name), stringifyJson(manifest));
      // Not before the new one is there.
      const twins = others.filter((other) => other.endsWith(suffix));
      const older = others.filter((other) => !other.endsWith(suffix));
      for (const other of [...twins, ...older.slice(MAX_BASES - 1)]) removeFile(join(bases, other));
    },
    /** The remembered bases with exactly this stamp, newest first. */
    bases: (stamp: Stamp): ManifestReply[] =>
      jsonFiles(bases)
        .filter((name) => name.includes(stampKey(stamp)))
        .flatMap((name) => read(join(bases, name), ManifestReply) ?? []),
    /** Saves a manifest before it is written over; returns the new revision's name. On the disk when it returns. */
    saveRevision: (entry: Omit<Revision, 'revision' | 'saved_at'>): string => {
      const revision = `${stampName()}-${randomBytes(3).toString('hex')}`;
      const saved: Revision = { revision, saved_at: new Date(clock.now()).toISOString(), ...entry };
      writePrivateFile(join(history, `${revision}.json`), `${stringifyJson(saved, 2)}\n`);
      return revision;
    },
    /** Newest first. */
    revisions: (): Revision[] => jsonFiles(history).flatMap((name) => read(join(history, name), SavedRevision) ?? []),
    /** One revision by its name or an unambiguous beginning of it. */
    findRevision: (name: string): Revision | undefined => {
      const matches = jsonFiles(history).filter((file) => name !== '' && file.startsWith(name));
      const only = matches.find((file) => file === `${name}.json`) ?? (matches.length === 1 ? matches[0] : undefined);
      return only === undefined ? undefined : read(join(history, only), SavedRevision);
    },
    /** Runs `work` while no other process of this user writes this organization's manifest. */
    exclusively: <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
      withLock(join(folder, 'write.lock'), clock, work, signal),
  };
}
