// Caches ids from the platform's responses for tab completion: one file per kind, one id per line.
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

/** Where ids are valid. All fields matter, because two workspaces may use the same id for different things. */
export interface IdScope {
  profile?: string | undefined;
  base_url?: string | undefined;
  org_id?: string | undefined;
  workspace_id?: string | undefined;
}

export type KnownIds = ReturnType<typeof openKnownIds>;

/** A user would not read a longer list. */
const MAX_IDS = 5000;
/** Limit for kinds that grow indefinitely, such as requests. */
const MAX_ADDED = 200;
const MAX_NAME = 200;

/** `\p{Cc}`, but without the Unicode tables that V8 would build. */
const CONTROL = /[^ -~\u00a0-\uffff]/;

/** Does not read or create any file until a method is called. */
export function openKnownIds(cacheFolder: string, scope: IdScope) {
  const folder = join(cacheFolder, 'ids', fileName(partsOf(scope).join(' ')));

  /** Returns the ids of the last complete list, after ids from later responses. Throws if the file is unreadable. */
  function read(kind: IdKind): string[] {
    return (readPrivateFile(join(folder, fileName(kind))) ?? '').split('\n').filter((line) => line !== '');
  }

  function replace(kind: IdKind, ids: readonly string[]): void {
    // A newline would split an id in two, and such an id cannot be typed.
    const kept = [...new Set(ids)].filter((id) => id !== '' && !CONTROL.test(id)).slice(0, MAX_IDS);
    const text = linesOf(kept);
    // Writing waits for the disk, so do not write unchanged text.
    if (text !== linesOf(read(kind))) writePrivateFile(join(folder, fileName(kind)), text);
  }

  return {
    read,
    replace,
    /** Adds ids at the front, unless all are known already. Removes the oldest if there are too many. */
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

/** The embedded platform's port changes, so only its profile identifies it. */
function partsOf({ profile, base_url, org_id, workspace_id }: IdScope): string[] {
  if (profile === 'local') return [profile];
  return [profile ?? '', base_url?.replace(/(?<!\/)\/+$/, '').toLowerCase() ?? '', org_id ?? '', workspace_id ?? ''];
}

/** Returns a name that every file system accepts, never `.` or `..`. */
function fileName(text: string): string {
  return `_${encodeURIComponent(text)}`.replaceAll('*', '%2A').slice(0, MAX_NAME);
}
