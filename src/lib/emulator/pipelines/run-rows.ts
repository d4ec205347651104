// Reads a data model's row as the attributes or an event of one profile (specification, D; decision: D67).
import { internalIdentityType, USER_IDENTITY_TYPES } from '../../contract/identities.ts';
import { parseWith } from '../../contract/explain.ts';
import type { PipelineRequest } from '../../contract/pipelines.ts';
import { Xpid } from '../../contract/shared.ts';
import type { Row } from '../warehouse/reader.ts';
import type { Scope } from '../stores/profile-rows.ts';
import type { ProfileChange } from '../stores/profiles.ts';

const LONGEST_IDENTITY = 4096;

/** Thrown for a failed record. The message contains no values, so that many rows can share it. */
export class BadRow extends Error {}

/** Returns a function that reads a row or throws BadRow. `neutral` translates a deployment's identity types. */
export function createRowReader(
  type: PipelineRequest['pipeline_type'],
  scope: Scope,
  neutral: (word: string) => string,
): (row: Row) => ProfileChange {
  // Cached, because all rows have the same columns.
  const types = new Map<string, string | undefined>();
  const identityTypeOf = (column: string): string | undefined => {
    if (!types.has(column)) types.set(column, identityType(neutral(column.toLowerCase())));
    return types.get(column);
  };

  return (row) => {
    let xpid: number | bigint | undefined;
    const identities: Record<string, string> = {};
    const values: Record<string, unknown> = {};
    for (const [column, value] of Object.entries(row)) {
      if (value === null || value === '') continue;
      if (value instanceof Uint8Array) throw new BadRow(`column \`${column}\` contains binary data`);
      const identity = identityTypeOf(column);
      if (identity === undefined) values[column] = value;
      else if (identity === 'xpid') xpid = xpidOf(column, value);
      else identities[identity] = identityOf(column, value);
    }
    if (xpid === undefined && Object.keys(identities).length === 0) throw new BadRow('no identity');
    const person = { ...scope, xpid, identities };
    return type === 'events' ? { ...person, events: [eventOf(values)] } : { ...person, user_attributes: values };
  };
}

function identityType(column: string): string | undefined {
  return column === 'xpid' || USER_IDENTITY_TYPES.has(column) ? internalIdentityType(column) : undefined;
}

function xpidOf(column: string, value: number | bigint | string): number | bigint {
  const { data } = parseWith(Xpid, typeof value === 'string' ? value.trim() : value);
  if (data === undefined) throw new BadRow(`column \`${column}\` does not contain a 64-bit integer`);
  return data;
}

function identityOf(column: string, value: number | bigint | string): string {
  const text = String(value);
  if (text.length > LONGEST_IDENTITY) throw new BadRow(`column \`${column}\` contains an identity that is too long`);
  return text;
}

/** Returns an event as intake would receive it. Other columns become custom attributes of the event. */
function eventOf({ event_name, event_type = 'custom_event', timestamp_unixtime_ms, ...rest }: Record<string, unknown>) {
  if (typeof event_name !== 'string') throw new BadRow('no `event_name`');
  return {
    event_type,
    data: {
      event_name,
      ...(timestamp_unixtime_ms !== undefined && { timestamp_unixtime_ms }),
      custom_attributes: rest,
    },
  };
}
