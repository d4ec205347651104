// Finds the kind, id and scope of a line of the ledger without parsing it.

/** The fields of every line. The domain defines the others, and how lines add up. */
export interface StoredEvent {
  event: string;
  id: string;
  at?: string;
  address?: string;
  workspace_id?: string;
  status?: string;
}

export interface LineHead {
  kind: string;
  id: string;
  /** As `scopeKey` writes it; undefined in state lines of versions without a chain. */
  scope: string | undefined;
}

/** Every line begins with its kind and its id. */
const KIND = '{"event":"';
const ID = '","id":"';
/** The two fields are always adjacent. */
const SCOPE = /"address":"(?:[^"\\]|\\.)*","workspace_id":"(?:[^"\\]|\\.)*"/;

/** Undefined for an unfinished line, and for a line of the chain about itself. */
export function headOf(line: string): LineHead | undefined {
  const kindEnd = line.startsWith(KIND) ? line.indexOf('"', KIND.length) : -1;
  if (kindEnd < 0 || !line.startsWith(ID, kindEnd) || !line.endsWith('}')) return undefined;
  const start = kindEnd + ID.length;
  const id = line.slice(start, line.indexOf('"', start));
  return { kind: line.slice(KIND.length, kindEnd), id, scope: SCOPE.exec(line)?.[0] };
}

/** A copy to store: a part of a line would keep a whole piece of the file in memory. */
export function ownText(part: string): string {
  return Buffer.from(part, 'latin1').toString('latin1');
}

/** A scope as lines in `latin1` have it. */
export function scopeKey({ address, workspace_id }: { address: string; workspace_id: string }): string {
  return Buffer.from(JSON.stringify({ address, workspace_id }).slice(1, -1)).toString('latin1');
}

/** The event of a line in `latin1`. Undefined for a line that only looks whole. */
export function eventOf<Event extends StoredEvent>(line: string): Event | undefined {
  try {
    const text = Buffer.from(line, 'latin1').toString('utf8');
    // The number and the hash belong to the chain.
    const { chain: _hash, entry: _number, ...event } = JSON.parse(text) as Event & Record<'chain' | 'entry', unknown>;
    return event as unknown as Event;
  } catch {
    return undefined;
  }
}
