// Which request a line of the ledger is about: a small number for each combination of scope and id, in the order of the file.
import { createIdTable, doubled } from './id-table.ts';

/** Marks an id that several scopes have. */
const SHARED = 0x4000_0000;

/**
 * State lines of earlier versions name no workspace. They belong to the first scope that has their id, until a second
 * one has it too: from then on such a line belongs to neither, because it may be about either (decision: D225).
 */
export function createRequestNumbers() {
  const ids = createIdTable();
  const scopes = new Map<string, number>();
  /** By number: the scope, from 1 on, perhaps with `SHARED`; 0 while only lines without a scope are known. */
  let owners = new Uint32Array(1024);

  function numberOf(key: string): number {
    const number = ids.add(key);
    if (number >= owners.length) owners = doubled(owners, Uint32Array);
    return number;
  }

  return {
    get size(): number {
      return ids.size;
    },
    /** The number of a line's request; a new request gets the next one. Undefined for a line that may be about several. */
    add: (id: string, scope: string | undefined): number | undefined => {
      const first = numberOf(id);
      const owner = owners[first] ?? 0;
      if (scope === undefined) return owner & SHARED ? undefined : first;
      const own = scopes.get(scope) ?? scopes.size + 1;
      scopes.set(scope, own);
      if (owner === 0) owners[first] = own;
      if (owner === 0 || (owner & ~SHARED) === own) return first;
      owners[first] = owner | SHARED;
      const number = numberOf(keyOf(id, scope));
      owners[number] = own;
      return number;
    },
    /** The number of a known request. */
    find: (id: string, scope: string): number | undefined => {
      const first = ids.find(id);
      if (first === undefined) return undefined;
      const owner = owners[first] ?? 0;
      return owner === 0 || (owner & ~SHARED) === scopes.get(scope) ? first : ids.find(keyOf(id, scope));
    },
  };
}

function keyOf(id: string, scope: string): string {
  return `${id} ${scope}`;
}
