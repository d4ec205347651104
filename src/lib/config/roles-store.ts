// Stores the bases of pulled roles files, and a copy of the manifest before every write.
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { parseWith } from '../contract/explain.ts';
import { ManifestReply } from '../contract/roles.ts';
import type { Clock } from '../kernel/clock.ts';
import { readPrivateFile, removeFile, writePrivateFile, assertPrivate } from '../kernel/durable.ts';
import { cannotRead, cannotWrite, isAbsent } from '../kernel/errors.ts';
import { openLineFile } from '../kernel/line-file.ts';
import { canonicalJson, stringifyJson, tryJson } from '../kernel/json.ts';
import { withLock } from '../kernel/lock.ts';
import { namesIn } from '../kernel/temporary-file.ts';

/** Maximum number of bases. The oldest are deleted, which leaves their roles files without a base. */
const MAX_BASES = 200;
/** Marks a base that contains the content of a roles file, in the base's file name. */
const FROM_FILE = '-file';

const headFields = {
  /** Sortable and unique: `20261121T080000123Z-1f3a9c`. */
  revision: z.string(),
  saved_at: z.string(),
  /** The command: `push`, `edit`, `rollback` … */
  reason: z.string(),
  profile: z.nullable(z.string()),
  plan: z.string(),
};
const SavedRevision = z.object({ ...headFields, manifest: ManifestReply });
/** The start of a revision file. Listing revisions reads only this part, not the manifests. */
const RevisionHead = z.object({
  ...headFields,
  roles: z.int(),
  last_modified_on: z.nullable(z.string()),
  last_modified_by: z.nullable(z.string()),
});

export type Revision = z.infer<typeof SavedRevision>;
export type RevisionHead = z.infer<typeof RevisionHead>;

const HEAD_BYTES = 4096;
const HEAD_END = ',\n  "manifest": {';

export type RolesStore = ReturnType<typeof openRolesStore>;

type Stamp = Pick<ManifestReply, 'last_modified_on' | 'last_modified_by'>;

function digest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

type Scope = Record<'organization' | 'address', string>;

/** Returns the names of all revisions, or of those in `scope`. They are grouped by folder, newest first within each. */
export function revisionNames(stateFolder: string, scope?: Partial<Scope>): string[] {
  const folder = join(stateFolder, 'roles');
  const own = namesIn(folder).filter((name) => {
    const { organization = name.replace(/-.*/, ''), address = '' } = scope ?? {};
    return !scope || join(folder, name) === folderOf(stateFolder, { organization, address });
  });
  return own.flatMap((name) => jsonFiles(join(folder, name, 'history'))).map((name) => name.slice(0, -'.json'.length));
}

function folderOf(stateFolder: string, scope: Scope): string {
  return join(stateFolder, 'roles', `${scope.organization}-${digest(scope).slice(0, 16)}`);
}

/** Returns a manifest's metadata for the header of its revision. */
function factsOf({ last_modified_by = null, last_modified_on = null, roles }: ManifestReply) {
  return { roles: roles.length, last_modified_on, last_modified_by };
}

/** Returns the names of the JSON files, newest first. */
function jsonFiles(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse();
}

export function openRolesStore(stateFolder: string, scope: Scope, clock: Clock) {
  const folder = folderOf(stateFolder, scope);
  const bases = join(folder, 'bases');
  const history = join(folder, 'history');

  /** Returns undefined for a missing or damaged file. Other files remain usable. */
  function read<T>(path: string, schema: z.ZodMiniType<T>): T | undefined {
    const text = readPrivateFile(path);
    const value = text === undefined ? undefined : tryJson(text);
    return parseWith(schema, value).data === undefined ? undefined : (value as T);
  }

  function readHead(path: string): RevisionHead | undefined {
    assertPrivate(path, cannotRead);
    const file = openLineFile(path);
    if (!file) return undefined;
    try {
      const [head = '', rest] = file.read(0, Math.min(file.size, HEAD_BYTES)).toString('utf8').split(HEAD_END);
      const found = rest === undefined ? undefined : parseWith(RevisionHead, JSON.parse(`${head}}`)).data;
      if (found) return found;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    } finally {
      file.close();
    }
    // A file from an earlier version has no complete header, so read all of it.
    const { manifest, ...saved } = read(path, SavedRevision) ?? {};
    return manifest && { ...(saved as Revision), ...factsOf(manifest) };
  }

  /** Returns a revision with its manifest; undefined if the file is missing or damaged. */
  function findRevision(revision: string): Revision | undefined {
    return read(join(history, `${revision}.json`), SavedRevision);
  }

  /** Returns the file names of the bases that the platform returned, newest first. */
  function platformBases(): string[] {
    return jsonFiles(bases).filter((name) => !name.includes(`${FROM_FILE}-`));
  }

  function stampName(): string {
    return new Date(clock.now()).toISOString().replace(/[-:.]/g, '');
  }

  /** Returns the end of a base's file name, `-<stamp>-<content>-<roles file>.json`. */
  function baseSuffix(manifest: ManifestReply, file: string | undefined): string {
    return `${stampKey(manifest)}${digest(manifest).slice(0, 24)}${fileSuffix(file)}`;
  }

  function fileSuffix(file: string | undefined): string {
    return file === undefined ? '.json' : `-${digest(file).slice(0, 12)}.json`;
  }

  function stampKey({ last_modified_on, last_modified_by }: Stamp): string {
    return `-${digest([last_modified_on ?? null, last_modified_by ?? null]).slice(0, 12)}-`;
  }

  return {
    /**
     * `file` is the real path of the roles file that has this base; undefined if any file may have it. `origin` is `file`
     * for the content of a roles file, whose stamp is older than the platform's.
     */
    saveBase: (manifest: ManifestReply, file?: string, origin?: 'file'): void => {
      // A file's content does not replace an equal manifest that the platform returned.
      const suffix = `${origin === 'file' ? FROM_FILE : ''}${baseSuffix(manifest, file)}`;
      const name = `${stampName()}${suffix}`;
      const others = jsonFiles(bases).filter((other) => other !== name);
      writePrivateFile(join(bases, name), stringifyJson(manifest));
      // Write the new base before removing an old one.
      const twins = others.filter((other) => other.endsWith(suffix));
      const older = others.filter((other) => !other.endsWith(suffix));
      for (const other of [...twins, ...older.slice(MAX_BASES - 1)]) removeFile(join(bases, other));
    },
    /** Returns this roles file's newest base with this stamp or, if it has none, those of all files, newest first. */
    bases: (stamp: Stamp, file?: string): ManifestReply[] => {
      const names = jsonFiles(bases).filter((name) => name.includes(stampKey(stamp)));
      const own = file === undefined ? [] : names.filter((name) => name.endsWith(fileSuffix(file)));
      const load = (some: readonly string[]) => some.flatMap((name) => read(join(bases, name), ManifestReply) ?? []);
      const [last] = load(own);
      return last ? [last] : load(names);
    },
    /** Returns the time of the platform's manifest that was last saved as a base, if known. */
    newestTime: (): string | undefined => {
      const [name] = platformBases();
      return (name === undefined ? undefined : read(join(bases, name), ManifestReply)?.last_modified_on) ?? undefined;
    },
    /** Saves a manifest before it is overwritten. Returns the revision's name once the manifest is on disk. */
    saveRevision: (entry: Omit<Revision, 'revision' | 'saved_at'>): string => {
      const revision = `${stampName()}-${randomBytes(3).toString('hex')}`;
      const { manifest, ...rest } = entry;
      const saved_at = new Date(clock.now()).toISOString();
      const saved = { revision, saved_at, ...rest, ...factsOf(manifest), manifest };
      writePrivateFile(join(history, `${revision}.json`), `${stringifyJson(saved, 2)}\n`);
      return revision;
    },
    revisions: (): { revision: string; bytes: number }[] =>
      jsonFiles(history).map((name) => ({
        revision: name.slice(0, -'.json'.length),
        bytes: lstatSync(join(history, name), { throwIfNoEntry: false })?.size ?? 0,
      })),
    head: (revision: string): RevisionHead | undefined => readHead(join(history, `${revision}.json`)),
    /** Removes revisions in parallel: each removal takes milliseconds on a busy disk. Calls `removed` after each. */
    removeRevisions: async (revisions: readonly string[], signal: AbortSignal, removed: () => void): Promise<void> => {
      const left = revisions.values();
      const remove = async (): Promise<void> => {
        for (const revision of left) {
          signal.throwIfAborted();
          const path = join(history, `${revision}.json`);
          await unlink(path).catch((error: unknown) => {
            if (!isAbsent(error)) throw cannotWrite(path, error);
          });
          removed();
        }
      };
      await Promise.all(Array.from({ length: 16 }, remove));
    },
    findRevision,
    /** Returns the platform's manifest that was stored first after a revision: usually the result of its write. */
    manifestAfter: (revision: string): ManifestReply | undefined => {
      const base = platformBases().findLast((name) => name > revision);
      const next = jsonFiles(history).findLast((name) => name > `${revision}.json`);
      if (base !== undefined && (next === undefined || base < next)) return read(join(bases, base), ManifestReply);
      return next === undefined ? undefined : findRevision(next.slice(0, -'.json'.length))?.manifest;
    },
    exclusively: <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
      withLock(join(folder, 'write.lock'), clock, work, signal),
  };
}
