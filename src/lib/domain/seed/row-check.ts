// Checks one user's body in bytes, in one pass and without parsing it, against every rule of the contract's SingleSeed.
// The contract accepts everything that this check accepts, so the bytes are sent unchanged and 64-bit ids stay exact. A
// body that fails may still be valid in a less common notation, so `checkRow` parses it and makes the final check.
import { SEED_RULES } from '../../contract/seed-rules.ts';
import { isCalendarDate } from '../../contract/shared.ts';
import { createWordFinder } from './null-cells.ts';
import type { RowRules } from './row-rules.ts';
import {
  afterItem,
  CLOSE_BRACE,
  FAIL,
  type Field,
  fieldOf,
  matchesAt,
  OPEN_BRACE,
  QUOTE,
  type Scan,
  scanColon,
  scanFields,
  scanItems,
  scanLong,
  scanMembers,
  scanName,
  scanNumber,
  scanNumeric,
  scanPlainKey,
  scanString,
  scanWhole,
  skipSpace,
} from './scan.ts';

/** True if the row in `bytes` from `start` to `end` can be sent unchanged. A line feed must follow the row. */
export type RowCheck = (bytes: Buffer, start: number, end: number) => boolean;

/** Values longer than this go to the exact check. */
const MAX_IDENTITY_BYTES = 4096;

const findEnvironment = createWordFinder(['"production"', '"development"']);
const USER_ATTRIBUTE = [fieldOf('attribute_name', scanName), fieldOf('attribute_value', scanString)];

/** Creates the check for a deployment's words. Rows with other words fail it, and are translated later. */
export function createRowCheck({ names: { toWire }, identityTypes, nulls }: RowRules): RowCheck {
  const plainTypes = [...new Set([...identityTypes.words].map(toWire))].filter((type) => toWire(type) === type);
  const findType = createWordFinder(plainTypes.map((type) => JSON.stringify(type)));
  const findNull = createWordFinder(nulls.words.map((text) => JSON.stringify(text).slice(1, -1)));
  /** True if the current row has an xpid or an identity. */
  let isLocated = false;

  function scanXpid(bytes: Buffer, start: number): number {
    isLocated = true;
    return scanLong(bytes, start);
  }

  function scanIdentity(bytes: Buffer, key: number, end: number, value: number): number {
    isLocated = true;
    const at = findType(bytes, key, end) === undefined ? FAIL : scanName(bytes, value);
    return at - value > MAX_IDENTITY_BYTES || findNull(bytes, value + 1, at - 1) !== undefined ? FAIL : at;
  }

  const fields = [
    fieldOf(toWire('environment'), (bytes, at) => {
      const end = scanPlainKey(bytes, at);
      return end === FAIL || findEnvironment(bytes, at, end) === undefined ? FAIL : end;
    }),
    fieldOf(toWire('calculated_attributes'), (bytes, at) => scanByWorkspace(bytes, at, scanAttribute)),
    fieldOf(toWire('xpid'), scanXpid),
    fieldOf(toWire('identities'), (bytes, at) => scanMembers(bytes, at, scanIdentity)),
    fieldOf(toWire('user_attributes'), (bytes, at) =>
      scanByWorkspace(bytes, at, (_bytes, item) => scanFields(bytes, item, USER_ATTRIBUTE, 0b11)),
    ),
  ];

  return (bytes, start, end) => {
    isLocated = false;
    return scanFields(bytes, start, fields, 0b11) === end && isLocated;
  };
}

/** Scans `{workspace: [item, …]}`. Rows with several workspaces are rare, so they go to the exact check. */
function scanByWorkspace(bytes: Buffer, start: number, item: Scan): number {
  if (bytes[start] !== OPEN_BRACE) return FAIL;
  const key = skipSpace(bytes, start + 1);
  if (bytes[key] === CLOSE_BRACE) return key + 1;
  let at = scanPlainKey(bytes, key);
  if (at === FAIL || at === key + 2) return FAIL;
  at = scanColon(bytes, at);
  at = at === FAIL ? FAIL : scanItems(bytes, at, item);
  if (at === FAIL) return FAIL;
  at = afterItem(bytes, at);
  return bytes[at] === CLOSE_BRACE ? at + 1 : FAIL;
}

const scanCount: Scan = (bytes, at) => scanWhole(bytes, at, 0);
const scanText: Scan = (bytes, at) => (bytes[at] === QUOTE ? scanString(bytes, at) : scanNumber(bytes, at));
const AVERAGE = [fieldOf('sum', scanNumeric), fieldOf('count', (bytes, at) => scanWhole(bytes, at, 1))];

/** The only field in the seed of each type (specification, E, CASeed). */
const SEEDS = new Map(
  Object.entries(SEED_RULES).map(([type, rule]): [string, readonly Field[]] => {
    let scan: Scan;
    if (rule.form === 'list') scan = (bytes, at) => scanItems(bytes, at, scanString);
    else if (rule.form === 'value')
      scan = rule.holds === 'number' ? scanNumeric : rule.holds === 'anything' ? scanText : scanCount;
    else if (rule.pairs === 'average') scan = (bytes, at) => scanFields(bytes, at, AVERAGE, 0b11);
    else scan = (bytes, at) => scanMembers(bytes, at, (_bytes, _key, _end, value) => scanCount(bytes, value));
    return [JSON.stringify(type), [fieldOf(rule.form, scan)]];
  }),
);
const findCalculation = createWordFinder([...SEEDS.keys()]);

/** Form of the seed for the current attribute's type. */
let seed: readonly Field[] | undefined;

const ATTRIBUTE = [
  fieldOf('attribute_name', scanName),
  fieldOf('calculation_type', (bytes, at) => {
    const end = scanPlainKey(bytes, at);
    seed = end === FAIL ? undefined : SEEDS.get(findCalculation(bytes, at, end) ?? '');
    return seed === undefined ? FAIL : end;
  }),
  fieldOf('cutoff_date', scanDate),
  // A seed that precedes its type goes to the exact check.
  fieldOf('seed', (bytes, at) => (seed === undefined ? FAIL : scanFields(bytes, at, seed, 1))),
];

/** Scans one element of a workspace's list. */
function scanAttribute(bytes: Buffer, start: number): number {
  seed = undefined;
  return scanFields(bytes, start, ATTRIBUTE, 0b1111);
}

/** Last valid date, in quotes: most attributes in a file have the same date. */
const date = Buffer.from('"2026-01-31"');

function scanDate(bytes: Buffer, start: number): number {
  const end = start + date.length;
  if (matchesAt(bytes, start, date)) return end;
  if (bytes[start] !== QUOTE || bytes[end - 1] !== QUOTE) return FAIL;
  if (!isCalendarDate(bytes.toString('latin1', start + 1, end - 1))) return FAIL;
  bytes.copy(date, 0, start, end);
  return end;
}
