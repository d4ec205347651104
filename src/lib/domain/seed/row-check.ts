// Checks one user's body in bytes, in one pass and without parsing it, against every rule of the contract's SingleSeed. The
// contract accepts all that this check accepts, so the bytes are sent unchanged and 64-bit ids stay exact. A body that
// fails here may be valid in a rarer spelling: `checkRow` parses it and decides.
import type { WireNames } from '../../contract/names.ts';
import type { IdentityTypes } from '../identity-types.ts';
import {
  afterItem,
  CLOSE_BRACE,
  FAIL,
  fieldOf,
  OPEN_BRACE,
  scanColon,
  scanFields,
  scanItems,
  scanLong,
  scanMembers,
  scanName,
  scanPlainKey,
  scanString,
  skipSpace,
  matchesAt,
  word,
} from './scan.ts';
import { scanAttribute } from './attribute-scan.ts';
import { createWordFinder } from './null-cells.ts';
import type { RowRules } from './row-rules.ts';

/** Whether the row in `bytes` from `start` to `end` can be sent unchanged. A line feed must follow it. */
export type RowCheck = (bytes: Buffer, start: number, end: number) => boolean;

/** Longer ones are left to the exact check. */
const MAX_IDENTITY_BYTES = 4096;

const PRODUCTION = word('production');
const DEVELOPMENT = word('development');
const USER_ATTRIBUTE = [fieldOf('attribute_name', scanName), fieldOf('attribute_value', scanString)];

/** The check for a deployment's words. Rows with other words fail here, and are translated later. */
export function createRowCheck({ names: { toWire }, identityTypes, nulls }: RowRules): RowCheck {
  const isPlainType = createTypeTest(toWire, identityTypes);
  const findNull = createWordFinder(nulls.words.map((text) => JSON.stringify(text).slice(1, -1)));
  /** Whether the current row has an xpid or an identity. */
  let isLocated = false;

  function scanXpid(bytes: Buffer, start: number): number {
    isLocated = true;
    return scanLong(bytes, start);
  }

  function scanIdentity(bytes: Buffer, key: number, end: number, value: number): number {
    isLocated = true;
    const at = isPlainType(bytes, key, end) ? scanName(bytes, value) : FAIL;
    return at - value > MAX_IDENTITY_BYTES || findNull(bytes, value + 1, at - 1) !== undefined ? FAIL : at;
  }

  const fields = [
    fieldOf(toWire('environment'), scanEnvironment),
    fieldOf(toWire('calculated_attributes'), (bytes, at) => scanByWorkspace(bytes, at, scanAttribute)),
    fieldOf(toWire('xpid'), scanXpid),
    fieldOf(toWire('identities'), (bytes, at) => scanMembers(bytes, at, scanIdentity)),
    fieldOf(toWire('user_attributes'), (bytes, at) => scanByWorkspace(bytes, at, scanUserAttribute)),
  ];

  return (bytes, start, end) => {
    isLocated = false;
    return scanFields(bytes, start, fields, 0b11) === end && isLocated;
  };
}

/** Whether the key from `start` to `end`, quotes included, is a known identity type in the deployment's words. */
type TypeTest = (bytes: Buffer, start: number, end: number) => boolean;

function createTypeTest(toWire: WireNames['toWire'], { words }: IdentityTypes): TypeTest {
  /** By their length. */
  const known: Uint8Array[][] = [];
  for (const type of new Set([...words].map(toWire))) {
    const key = word(type);
    if (toWire(type) === type) (known[key.length] ??= []).push(key);
  }
  return (bytes, start, end) => {
    const candidates = known[end - start];
    if (candidates === undefined) return false;
    for (const key of candidates) if (matchesAt(bytes, start, key)) return true;
    return false;
  };
}

function scanEnvironment(bytes: Buffer, at: number): number {
  if (matchesAt(bytes, at, PRODUCTION)) return at + PRODUCTION.length;
  return matchesAt(bytes, at, DEVELOPMENT) ? at + DEVELOPMENT.length : FAIL;
}

/** `{workspace: [item, …]}`. Rows of several workspaces are rare: they are left to the exact check. */
function scanByWorkspace(bytes: Buffer, start: number, item: (bytes: Buffer, at: number) => number): number {
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

function scanUserAttribute(bytes: Buffer, start: number): number {
  return scanFields(bytes, start, USER_ATTRIBUTE, 0b11);
}
