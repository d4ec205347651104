// The fast check: checks one user's body without parsing it, against every rule of the contract's SingleSeed. The
// contract accepts everything that this check accepts, so the bytes are sent unchanged and 64-bit ids stay exact. A body
// that fails may still be valid in a less common notation, so `checkRow` parses it and makes the final check.
import { SEED_RULES } from '../../contract/seed-rules.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { RowRules } from './read-row.ts';
import { CLOSE_BRACE, FAIL } from './scan.ts';

/** True if the row in `bytes` from `start` to `end` can be sent unchanged. */
export type RowCheck = (bytes: Buffer, start: number, end: number) => boolean;

/** Longer rows go to the exact check, because each list item takes up space on the regular expression's stack. */
const MAX_BYTES = 1_000_000;

// Patterns of JSON tokens. Numbers with an exponent, more than 40 characters, or a fraction and more than 15 digits go
// to the exact check.
const SPACE = String.raw`[ \t\r\n]*`;
const COLON = `${SPACE}:${SPACE}`;
const COMMA = `${SPACE},${SPACE}`;
const CHARACTERS = String.raw`[^"\\\x00-\x1f]*`;
const STRING = String.raw`"${CHARACTERS}(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})${CHARACTERS})*"`;
const NAME = `(?!"")${STRING}`;
/** Some names that start with `__` are special in JavaScript, so they go to the exact check. */
const KEY = `"(?!__)${CHARACTERS}"`;
const INTEGER = String.raw`(?:0|[1-9]\d*)`;
const NUMBER = String.raw`(?![-.\d]{41})-?(?:${INTEGER}(?![.\d])|(?![.\d]{17})${INTEGER}\.\d+)`;
const NUMERIC = String.raw`(?:"(?![-.\d]{40})-?\d+(?:\.\d+)?"|${NUMBER})`;
const WHOLE = String.raw`(?:"\d{1,18}"|0|[1-9]\d{0,17})`;
const POSITIVE = String.raw`(?:"(?!0*")\d{1,18}"|[1-9]\d{0,17})`;
/** Numbers near the bounds of a 64-bit integer go to the exact check. */
const LONG = String.raw`(?:-?(?:[1-8]\d{18}|9[01]\d{17}|[1-9]\d{0,17})|0)`;
const LEAP_YEAR = String.raw`(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)`;
const DAY = String.raw`(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31`;
const DATE = String.raw`"(?:\d{4}-(?:(?:0[1-9]|1[0-2])-${DAY})|${LEAP_YEAR}-02-29)"`;

/** Escapes, outer spaces, more than 4,094 bytes, fractions and exponents go to the exact check. */
const VISIBLE = String.raw`[!#-[\]-~]`;
const IDENTITY = String.raw`(?!"-?\d+(?:[.,]|[eE]\+))"${VISIBLE}(?:[^"\\\x00-\x1f\x7f\xc2]{0,4092}${VISIBLE})?"`;

/** Matches nothing if there are no patterns. */
const oneOf = (patterns: readonly string[]): string => `(?:${patterns.join('|') || '(?!)'})`;
const object = (content: string): string => String.raw`\{${SPACE}${content}${SPACE}\}`;
const list = (item: string): string => String.raw`\[${SPACE}(?:${item}${SPACE}(?:,${SPACE}(?!\])|(?=\])))*\]`;

/** Returns the items in every order. */
function ordersOf(items: readonly string[]): string[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) => ordersOf(items.filter((other) => other !== item)).map((others) => [item, ...others]));
}

/** Returns a pattern for an object with these fields, in any order. */
const fieldsOf = (...fields: string[]): string => object(oneOf(ordersOf(fields).map((order) => order.join(COMMA))));
const fieldOf = (name: string, value: string): string => `"${name}"${COLON}${value}`;

/** Returns a pattern for 1 to 16 members with different keys. The names of the groups are numbered later. */
function membersOf(key: string, value: string): string {
  const isRepeated = `(?:${COMMA}${key}${COLON}${value})*${COMMA}\\k<key>`;
  return `(?:(?<key>${key})${COLON}${value}(?!${isRepeated})${SPACE}(?:,${SPACE}(?!\\})|(?=\\}))){1,16}`;
}

/** Returns the pattern of the seed for a calculation type (specification, E, CASeed). */
function seedOf(rule: (typeof SEED_RULES)[keyof typeof SEED_RULES]): string {
  const seed = (value: string): string => object(fieldOf(rule.form, value));
  if (rule.form === 'list') return seed(list(STRING));
  if (rule.form === 'value')
    return seed(rule.holds === 'number' ? NUMERIC : rule.holds === 'anything' ? oneOf([STRING, NUMBER]) : WHOLE);
  if (rule.pairs === 'average') return seed(fieldsOf(fieldOf('sum', NUMERIC), fieldOf('count', POSITIVE)));
  return seed(String.raw`\{${SPACE}(?:${membersOf(KEY, WHOLE)})?\}`);
}

/** Maps each seed pattern to the rules of the calculation types that use it. */
const SEEDS = groupBy(Object.entries(SEED_RULES), ([, rule]) => seedOf(rule));

/** Returns an attribute's patterns, one per field order: all attributes of a row must have the same order. */
function attributesOf(): string[] {
  const [type, seed] = ['calculation_type', 'seed'];
  return ordersOf([fieldOf('attribute_name', NAME), type, fieldOf('cutoff_date', DATE), seed]).flatMap((order) => {
    const at = order.indexOf(type);
    // A seed that precedes its type goes to the exact check.
    if (order.indexOf(seed) < at) return [];
    const rests = [...SEEDS].map(([value, rules]) => {
      const rest = order.slice(at + 1).map((field) => (field === seed ? fieldOf(seed, value) : field));
      return [`"${oneOf(rules.map(([name]) => name))}"`, ...rest].join(COMMA);
    });
    return object([...order.slice(0, at), fieldOf(type, oneOf(rests))].join(COMMA));
  });
}

/** Returns a pattern that matches these JSON strings as bytes. */
function wordsOf(texts: readonly string[]): string {
  const words = texts.map((text) => Buffer.from(JSON.stringify(text)).toString('latin1'));
  return oneOf(words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)));
}

/** Bit masks of the required fields, of the fields that identify a user, and of both forms of `identities`. */
const REQUIRED = 0b001001;
const LOCATED = 0b000110;
const IDENTITIES = 0b100100;

const isWhole = (seen: number): boolean =>
  (seen & REQUIRED) === REQUIRED && (seen & LOCATED) !== 0 && (seen & IDENTITIES) !== IDENTITIES;

/** Creates the check for a deployment's words. Rows with other words fail it, and are translated later. */
export function createRowCheck({ names: { toWire }, identityTypes, nulls, workspace }: RowRules): RowCheck {
  const plainTypes = [...new Set([...identityTypes.words].map(toWire))].filter((type) => toWire(type) === type);
  const identities = membersOf(wordsOf(plainTypes), `(?!${wordsOf(nulls.words)})${IDENTITY}`);
  const key = workspace === undefined ? `(?!"")${KEY}` : wordsOf([workspace]);
  // Rows with several workspaces are rare, so they go to the exact check.
  const byWorkspace = (item: string): string => String.raw`\{${SPACE}(?:${key}${COLON}${list(item)}${SPACE})?\}`;
  const fields: readonly [name: string, ...values: string[]][] = [
    ['environment', '"(?:production|development)"'],
    ['xpid', LONG],
    ['identities', object(identities)],
    ['calculated_attributes', ...attributesOf().map(byWorkspace)],
    ['user_attributes', byWorkspace(fieldsOf(fieldOf('attribute_name', NAME), fieldOf('attribute_value', STRING)))],
    ['identities', `\\{${SPACE}\\}`],
  ];
  const expressions = fields.map(([name, ...values]) =>
    values.map((value) => {
      const pattern = `(?:^\\{|(?!^),)${SPACE}${wordsOf([toWire(name)])}${COLON}${value}${SPACE}`;
      let names = 0;
      // Each group is followed by exactly one reference to it, so number them in pairs.
      const numbered = (): string => `<key${names++ >> 1}>`;
      return new RegExp(pattern.replaceAll('<key>', numbered), 'y');
    }),
  );

  return (bytes, start, end) => {
    if (end - start > MAX_BYTES) return false;
    const text = bytes.toString('latin1', start, end);
    let at = 0;
    let seen = 0;
    // Most rows have their fields in the same order, so each search starts with the next field.
    for (let index = 0, misses = 0; misses < fields.length; index = (index + 1) % fields.length, misses++) {
      const next = endOf(expressions[index] as RegExp[], text, at);
      if (next === FAIL) continue;
      if ((seen & (1 << index)) !== 0) return false;
      seen |= 1 << index;
      at = next;
      misses = -1;
      if (text.charCodeAt(at) === CLOSE_BRACE) return at === text.length - 1 && isWhole(seen);
    }
    return false;
  };
}

/** Returns the end of the first match, and moves its expression to the front; FAIL if none matches. */
function endOf(expressions: RegExp[], text: string, start: number): number {
  for (let index = 0; index < expressions.length; index++) {
    const expression = expressions[index] as RegExp;
    expression.lastIndex = start;
    if (!expression.test(text)) continue;
    if (index > 0) expressions.unshift(...expressions.splice(index, 1));
    return expression.lastIndex;
  }
  return FAIL;
}
