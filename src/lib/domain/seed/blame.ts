// Finds the invalid rows of a rejected batch by the attribute that the platform's message names. Later batches reuse
// what earlier ones revealed about an attribute, so that an invalid attribute name does not cost a request per row.
import type { Batch } from './batch.ts';

export type Blame = ReturnType<typeof createBlame>;

interface Attribute {
  /** Name in quotes, as in a row: `"name"`. */
  needle: Buffer;
  /** Number of rejections due to this attribute in which only one row contained it. */
  convicted: number;
  /** True if a row with this attribute was accepted, which proves that its name is valid. */
  cleared: boolean;
}

/**
 * An attribute counts as invalid after this many rejections (see `convicted`), unless a row with it was accepted.
 * If only some of its values are invalid, a row is probably accepted first.
 */
const PROOF = 10;
/** Limits the memory used for attribute names, which come from the platform's messages. */
const MAX_ATTRIBUTES = 200;

export function createBlame() {
  const attributes = new Map<string, Attribute>();
  const isBad = ({ convicted, cleared }: Attribute): boolean => convicted >= PROOF && !cleared;

  /** Returns the first interpretation of `<attribute name>: <error message>` whose name occurs in the rows. */
  function find(batch: Batch, rows: readonly number[], messages: readonly string[]) {
    for (const message of messages) {
      for (let colon = message.indexOf(': '); colon > 0; colon = message.indexOf(': ', colon + 1)) {
        const name = message.slice(0, colon);
        const needle = attributes.get(name)?.needle ?? Buffer.from(JSON.stringify(name));
        const holders = holding(batch, rows, needle);
        if (holders.length > 0) return { name, needle, holders };
      }
    }
    return undefined;
  }

  function remember(name: string, needle: Buffer): Attribute {
    let attribute = attributes.get(name);
    if (attribute === undefined) {
      attribute = { needle, convicted: 0, cleared: false };
      if (attributes.size < MAX_ATTRIBUTES) attributes.set(name, attribute);
    }
    return attribute;
  }

  return {
    /** Classifies rows that were rejected together. If no row is known to be invalid, at least one of `suspects` is. */
    judge: (batch: Batch, rows: readonly number[], messages: readonly string[]) => {
      const found = find(batch, rows, messages);
      const all = [...rows];
      if (found === undefined)
        return rows.length === 1 ? { guilty: all, suspects: [], rest: [] } : { guilty: [], suspects: all, rest: [] };
      const { name, needle, holders } = found;
      const attribute = remember(name, needle);
      const rest = holders.length === rows.length ? [] : all.filter((row) => !holders.includes(row));
      if (holders.length === 1) {
        attribute.convicted++;
        return { guilty: holders, suspects: [], rest };
      }
      return isBad(attribute) ? { guilty: holders, suspects: [], rest } : { guilty: [], suspects: holders, rest };
    },
    accepted: (batch: Batch, rows: readonly number[]): void => {
      for (const attribute of attributes.values()) {
        // Searching takes time, so skip attributes that are already cleared.
        if (!attribute.cleared && holding(batch, rows, attribute.needle, 1).length > 0) attribute.cleared = true;
      }
    },
    sort: (batch: Batch, rows: readonly number[]): (readonly number[])[] => {
      let clean = rows;
      const groups: (readonly number[])[] = [];
      for (const attribute of attributes.values()) {
        if (!isBad(attribute)) continue;
        const holders = holding(batch, clean, attribute.needle);
        if (holders.length === 0) continue;
        groups.push(holders);
        clean = clean.filter((row) => !holders.includes(row));
      }
      return [clean, ...groups];
    },
  };
}

function holding(batch: Batch, rows: readonly number[], needle: Buffer, limit = Infinity): number[] {
  const found: number[] = [];
  for (const row of rows) {
    if (batch.row(row).includes(needle)) found.push(row);
    if (found.length >= limit) break;
  }
  return found;
}
