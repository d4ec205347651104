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

/** The scope in which ids are valid. Two workspaces may use the same id for different things. */
export interface IdScope {
  profile?: string | undefined;
  base_url?: string | undefined;
  org_id?: string | undefined;
  workspace_id?: string | undefined;
}

export type KnownIds = ReturnType<typeof openKnownIds>;

/** Maximum number of ids per kind. Some kinds, such as requests, grow indefinitely. */
const MAX_IDS = 5000;
const MAX_NAME = 200;

/** Matches the same characters as `\p{Cc}`, for which V8 would have to build Unicode tables. */
const CONTROL = /[^ -~\u00a0-\uffff]/;

/** Does not read or create any file until a method is called. */
export function openKnownIds(cacheFolder: string, scope: IdScope) {
  const { profile, base_url, org_id = '', workspace_id = '' } = scope;
  // The embedded platform's port changes, so the profile alone identifies the scope.
  const parts = profile === 'local' ? [profile] : [profile ?? '', plainAddress(base_url), org_id, workspace_id];
  const folder = join(cacheFolder, 'ids', fileName(parts.join(' ')));

  /** Returns the last complete list, preceded by ids from later responses. Throws if the file is unreadable. */
  function read(kind: IdKind): string[] {
    return (readPrivateFile(join(folder, fileName(kind))) ?? '').split('\n').filter((line) => line !== '');
  }

  /** Stores a complete list, but only its first `MAX_IDS` ids. */
  function replace(kind: IdKind, ids: readonly string[]): void {
    // An id with a control character cannot be typed, and a newline would split it in two.
    const kept = [...new Set(ids)].filter((id) => id !== '' && !CONTROL.test(id)).slice(0, MAX_IDS);
    const text = linesOf(kept);
    // Writing waits for the disk, so skip it if the text is unchanged.
    if (text !== linesOf(read(kind))) writePrivateFile(join(folder, fileName(kind)), text);
  }

  return {
    read,
    replace,
    /** Adds ids at the front, unless all of them are already known. */
    add: (kind: IdKind, ids: readonly string[]): void => {
      const before = read(kind);
      if (!ids.every((id) => before.includes(id))) replace(kind, [...ids, ...before]);
    },
  };
}

function linesOf(ids: readonly string[]): string {
  return ids.map((id) => `${id}\n`).join('');
}

/** Returns an address as stored data names it: in lowercase, without slashes at the end. */
export function plainAddress(address = ''): string {
  return address.replace(/(?<!\/)\/+$/, '').toLowerCase();
}

/** Returns a name that every file system accepts, never `.` or `..`. */
function fileName(text: string): string {
  return `_${encodeURIComponent(text)}`.replaceAll('*', '%2A').slice(0, MAX_NAME);
}
