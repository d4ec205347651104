// Ids that the platform has told, kept in the cache so that a shell can complete them: one file a kind, one id a line.
import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '../kernel/durable.ts';

export type IdKind =
  | 'role_id'
  | 'task_id'
  | 'group_id'
  | 'connection_id'
  | 'data_model_id'
  | 'pipeline_id'
  | 'subject_request_id'
  | 'request_group_id'
  | `attribute_id of ${string}`
  | `pipeline_run_id of ${string}`;

/** Whose ids they are. All fields together: the same id may exist in two workspaces, and mean two things. */
export interface IdScope {
  profile?: string | undefined;
  base_url?: string | undefined;
  org_id?: string | undefined;
  workspace_id?: string | undefined;
}

export type KnownIds = ReturnType<typeof openKnownIds>;

/** More than a person would look through; a workspace with more has its first ones completed. */
const MAX_IDS = 5000;
/** Of kinds that grow for ever, such as requests, the latest ones. */
const MAX_ADDED = 200;
const MAX_NAME = 200;

/** `\p{Cc}`, without the table that a property of Unicode is looked up in. */
const CONTROL = /[^ -~\u00a0-\uffff]/;

/** Opens the ids of a scope below the cache folder; nothing is read or made before a method is called. */
export function openKnownIds(cacheFolder: string, scope: IdScope) {
  const folder = join(cacheFolder, 'ids', fileName(partsOf(scope).join(' ')));

  /** In the order they were told. Throws KnownError when the file cannot be read. */
  function read(kind: IdKind): string[] {
    return (readPrivateFile(join(folder, fileName(kind))) ?? '').split('\n').filter((line) => line !== '');
  }

  /** These are all there are. */
  function replace(kind: IdKind, ids: readonly string[]): void {
    // A line feed would make two ids of one; an id that has one cannot be typed anyway.
    const kept = [...new Set(ids)].filter((id) => id !== '' && !CONTROL.test(id)).slice(0, MAX_IDS);
    const text = linesOf(kept);
    // Reading is quick; writing is for the disk and takes its time.
    if (text !== linesOf(read(kind))) writePrivateFile(join(folder, fileName(kind)), text);
  }

  return {
    read,
    replace,
    /** There are these too; they come first, and the oldest of too many are forgotten. */
    add: (kind: IdKind, ids: readonly string[]): void => {
      const before = read(kind);
      if (ids.every((id) => before.includes(id))) return;
      replace(kind, [...ids, ...before].slice(0, MAX_ADDED));
    },
  };
}

function linesOf(ids: readonly string[]): string {
  return ids.map((id) => `${id}\n`).join('');
}

/** The embedded platform inside the command is one, whatever port it has today. */
function partsOf({ profile, base_url, org_id, workspace_id }: IdScope): string[] {
  if (profile === 'local') return [profile];
  return [profile ?? '', base_url?.replace(/(?<!\/)\/+$/, '').toLowerCase() ?? '', org_id ?? '', workspace_id ?? ''];
}

/** A name that every file system takes, never `.` or `..`. */
function fileName(text: string): string {
  return `_${encodeURIComponent(text)}`.replaceAll('*', '%2A').slice(0, MAX_NAME);
}
