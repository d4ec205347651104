// Checks one user's body in bytes, in one pass and without parsing it, against every rule of the contract's SingleSeed. The
// contract accepts all that this check accepts, so the bytes are sent unchanged and 64-bit ids stay exact. A body that
// fails here may be valid in a rarer spelling: `checkRow` parses it and decides.
import type { WireNames } from '../../contract/names.ts';
import type { IdentityTypes } from '../identity-types.ts';
import {
  afterItem,
  CLOSE_BRACE,
  COMMA,
  FAIL,
  isNewKey,
  OPEN_BRACE,
  scanColon,
  scanItems,
  scanLong,
  scanPlainKey,
  scanString,
  skipSpace,
  standsAt,
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
const ATTRIBUTE_NAME = word('attribute_name');
const ATTRIBUTE_VALUE = word('attribute_value');

/** The check for a deployment's words. Rows with other words fail here, and are translated later. */
export function createRowCheck({ names, identityTypes, nulls }: RowRules): RowCheck {
  const environment = word(names.toWire('environment'));
  const xpid = word(names.toWire('xpid'));
  const identities = word(names.toWire('identities'));
  const attributes = word(names.toWire('calculated_attributes'));
  const userAttributes = word(names.toWire('user_attributes'));
  const isPlainType = createTypeTest(names, identityTypes);
  const findNull = createWordFinder(nulls.words.map((text) => JSON.stringify(text).slice(1, -1)));

  function scanIdentities(bytes: Buffer, start: number): number {
    if (bytes[start] !== OPEN_BRACE) return FAIL;
    if (bytes[start + 1] === CLOSE_BRACE) return start + 2;
    let at = skipSpace(bytes, start + 1);
    for (let count = 0; ; count++) {
      const key = at;
      at = scanPlainKey(bytes, at);
      if (at === FAIL || !isNewKey(bytes, count, key, at) || !isPlainType(bytes, key, at)) return FAIL;
      const value = scanColon(bytes, at);
      if (value === FAIL) return FAIL;
      at = scanString(bytes, value);
      if (at === FAIL || at === value + 2 || at - value > MAX_IDENTITY_BYTES) return FAIL;
      if (findNull(bytes, value + 1, at - 1) !== undefined) return FAIL;
      at = afterItem(bytes, at);
      if (bytes[at] !== COMMA) return bytes[at] === CLOSE_BRACE ? at + 1 : FAIL;
      at = skipSpace(bytes, at + 1);
    }
  }

  return (bytes, start, end) => {
    // Fields that were read: environment 1, xpid 2, identities 4, attributes 8, user attributes 16; located 32.
    let seen = 0;
    let at = start;
    if (bytes[at] !== OPEN_BRACE) return false;
    at = skipSpace(bytes, at + 1);
    for (;;) {
      let field: number;
      if (standsAt(bytes, at, environment)) {
        field = 1;
        at = scanColon(bytes, at + environment.length);
        at = at === FAIL ? FAIL : scanEnvironment(bytes, at);
      } else if (standsAt(bytes, at, xpid)) {
        field = 2;
        seen |= 32;
        at = scanColon(bytes, at + xpid.length);
        at = at === FAIL ? FAIL : scanLong(bytes, at);
      } else if (standsAt(bytes, at, identities)) {
        field = 4;
        at = scanColon(bytes, at + identities.length);
        if (at !== FAIL && bytes[at] === OPEN_BRACE && bytes[at + 1] !== CLOSE_BRACE) seen |= 32;
        at = at === FAIL ? FAIL : scanIdentities(bytes, at);
      } else if (standsAt(bytes, at, attributes)) {
        field = 8;
        at = scanColon(bytes, at + attributes.length);
        at = at === FAIL ? FAIL : scanByWorkspace(bytes, at, scanAttribute);
      } else if (standsAt(bytes, at, userAttributes)) {
        field = 16;
        at = scanColon(bytes, at + userAttributes.length);
        at = at === FAIL ? FAIL : scanByWorkspace(bytes, at, scanUserAttribute);
      } else return false;
      if (at === FAIL || (seen & field) !== 0) return false;
      seen |= field;
      if (bytes[at] !== COMMA) {
        at = skipSpace(bytes, at);
        if (bytes[at] !== COMMA) break;
      }
      at = skipSpace(bytes, at + 1);
    }
    return bytes[at] === CLOSE_BRACE && at + 1 === end && (seen & 41) === 41;
  };
}

/** Whether the key from `start` to `end`, quotes included, is a known identity type in the deployment's words. */
type TypeTest = (bytes: Buffer, start: number, end: number) => boolean;

function createTypeTest({ toWire }: WireNames, { words }: IdentityTypes): TypeTest {
  /** By their length. */
  const known: Uint8Array[][] = [];
  for (const type of new Set([...words].map(toWire))) {
    const key = word(type);
    if (toWire(type) === type) (known[key.length] ??= []).push(key);
  }
  return (bytes, start, end) => {
    const candidates = known[end - start];
    if (candidates === undefined) return false;
    for (const key of candidates) if (standsAt(bytes, start, key)) return true;
    return false;
  };
}

function scanEnvironment(bytes: Buffer, at: number): number {
  if (standsAt(bytes, at, PRODUCTION)) return at + PRODUCTION.length;
  return standsAt(bytes, at, DEVELOPMENT) ? at + DEVELOPMENT.length : FAIL;
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
  if (bytes[start] !== OPEN_BRACE) return FAIL;
  let at = skipSpace(bytes, start + 1);
  for (let seen = 0; ;) {
    const isName = standsAt(bytes, at, ATTRIBUTE_NAME);
    if (!isName && !standsAt(bytes, at, ATTRIBUTE_VALUE)) return FAIL;
    const field = isName ? 1 : 2;
    if ((seen & field) !== 0) return FAIL;
    seen |= field;
    const value = scanColon(bytes, at + (isName ? ATTRIBUTE_NAME.length : ATTRIBUTE_VALUE.length));
    if (value === FAIL) return FAIL;
    at = scanString(bytes, value);
    if (at === FAIL || (isName && at === value + 2)) return FAIL;
    at = afterItem(bytes, at);
    if (bytes[at] !== COMMA) return seen === 3 && bytes[at] === CLOSE_BRACE ? at + 1 : FAIL;
    at = skipSpace(bytes, at + 1);
  }
}
