// Aggregates the attributes of a group instance's members (specification, B; decision: D61).
import type { Aggregation } from '../../contract/choices.ts';
import type { GroupAttribute } from '../../contract/groups.ts';

export interface Member {
  user_attributes: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  last_modified_on: string;
}

/** Returns the values of a group's attributes, keyed by attribute id. Omits attributes without a value. */
export function aggregate(attributes: readonly GroupAttribute[], members: readonly Member[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.flatMap(({ id, type }) => {
      const value = AGGREGATE[type](id, members);
      return value === undefined ? [] : [[id, value]];
    }),
  );
}

const AGGREGATE: Record<Aggregation, (id: string, members: readonly Member[]) => unknown> = {
  latest: (id, members) => {
    // All timestamps have the same format, so text order equals time order.
    const held = members.filter((member) => valueOf(member, id) !== undefined);
    const [latest] = held.toSorted((a, b) => b.last_modified_on.localeCompare(a.last_modified_on));
    return latest && valueOf(latest, id);
  },
  boolean_or: (id, members) => members.some((member) => isTrue(valueOf(member, id))),
  sum: (id, members) => sumOf(numbersOf(id, members)),
  average: (id, members) => {
    const numbers = numbersOf(id, members);
    const sum = sumOf(numbers);
    return sum === undefined ? undefined : sum / numbers.length;
  },
};

/** Null does not count as a value. */
function valueOf({ user_attributes }: Member, id: string): unknown {
  return Object.hasOwn(user_attributes, id) ? (user_attributes[id] ?? undefined) : undefined;
}

/** Accepts several forms: some sources deliver attributes as text, others as JSON or columns. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^(true|1)$/i.test(value.trim()));
}

function numbersOf(id: string, members: readonly Member[]): number[] {
  return members.flatMap((member) => {
    const value = valueOf(member, id);
    if (typeof value === 'number' || typeof value === 'bigint') return [Number(value)];
    const isNumeric = typeof value === 'string' && /^\s*-?\d+(\.\d+)?([eE][+-]?\d+)?\s*$/.test(value);
    return isNumeric ? [Number(value)] : [];
  });
}

function sumOf(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum + number, 0);
}
