// Wire names: maps the specification's neutral words to deployment-specific ones and back, but only in marked places.
import { KnownError } from '../kernel/errors.ts';
import { isRecord } from '../kernel/json.ts';
import type { NameMark } from './endpoint.ts';
import type { FieldIssue } from './explain.ts';

/** Neutral word (`xpid`) or prefix (`osa_*`) -> deployment-specific word or prefix. */
export type NamesMap = Readonly<Record<string, string>>;

export type WireNames = ReturnType<typeof createWireNames>;

/** An object has both the neutral and the deployment's name of one field. Unless it is caught: invalid input (9). */
export class NameCollision extends KnownError {
  readonly issue: FieldIssue;
  constructor(word: string) {
    const message = "appears twice: under the neutral name and under the deployment's name";
    super({
      code: 'input.invalid',
      message: `Two fields have the same name, ${word}. Nothing was sent.`,
      issues: [{ path: word, message }],
      hint: "Use only one of the two names. The profile's `names` map them.",
    });
    this.issue = { path: [word], message };
  }
}

export function checkNames(names: NamesMap): { name: string; message: string }[] {
  const taken = new Map<string, string>();
  return Object.entries(plainNames(names)).flatMap(([name, word]) => {
    const issues: { name: string; message: string }[] = [];
    if (bare(word) === '') issues.push({ name, message: 'maps to an empty word' });
    if (word.endsWith('*') && !name.endsWith('*')) issues.push({ name, message: 'a word cannot map to a prefix' });
    const other = taken.get(bare(word));
    if (other !== undefined) issues.push({ name, message: `maps to the same word as ${other}` });
    taken.set(bare(word), name);
    return issues;
  });
}

/** Whole words take precedence over prefixes, and longer prefixes over shorter ones. */
export function createWireNames(names: NamesMap) {
  const entries = Object.entries(plainNames(names));
  const pairs = entries.map(([name, word]) => [bare(name), bare(word), name.endsWith('*')] as const);
  const toWire = translator(pairs.map(([name, word, prefix]) => ({ from: name, to: word, prefix })));
  const fromWire = translator(pairs.map(([name, word, prefix]) => ({ from: word, to: name, prefix })));
  return {
    /** Returns the deployment-specific word for a neutral word. Returns any other word unchanged. */
    toWire,
    fromWire,
    // Most deployments map nothing, and a bulk run has millions of bodies, so skip the work.
    /** Encodes in the reverse order of `decode`, because marks contain neutral words. */
    encode: (value: unknown, marks: readonly NameMark[]): unknown =>
      entries.length === 0 ? value : mapMarked(value, marks.toReversed(), toWire),
    decode: (value: unknown, marks: readonly NameMark[]): unknown =>
      entries.length === 0 ? value : mapMarked(value, marks, fromWire),
    empty: entries.length === 0,
  };
}

/** Removes optional brackets from the keys, because the specification writes a neutral word as `<PROVIDER_A>`. */
export function plainNames(names: NamesMap): NamesMap {
  return Object.fromEntries(Object.entries(names).map(([name, word]) => [name.replace(/^<(.*)>$/, '$1'), word]));
}

/** Converts a path in a decoded value to the path in the original value. */
export function pathAsWritten(
  value: unknown,
  path: readonly (string | number)[],
  names: WireNames,
): (string | number)[] {
  let inner = value;
  return path.map((segment) => {
    const word = typeof segment === 'string' ? names.toWire(segment) : segment;
    const isWritten = isRecord(inner) && !Object.hasOwn(inner, segment) && Object.hasOwn(inner, word);
    const step = isWritten ? word : segment;
    inner = typeof inner === 'object' && inner !== null ? (inner as Record<string | number, unknown>)[step] : undefined;
    return step;
  });
}

type Translate = (word: string) => string;

function translator(rules: readonly { from: string; to: string; prefix: boolean }[]): Translate {
  const words = new Map(rules.filter((rule) => !rule.prefix).map((rule) => [rule.from, rule.to]));
  const prefixes = rules.filter((rule) => rule.prefix).sort((a, b) => b.from.length - a.from.length);
  return (word) => {
    const whole = words.get(word);
    if (whole !== undefined) return whole;
    const rule = prefixes.find(({ from }) => word.startsWith(from) && word.length > from.length);
    return rule ? `${rule.to}${word.slice(rule.from.length)}` : word;
  };
}

function bare(word: string): string {
  return word.endsWith('*') ? word.slice(0, -1) : word;
}

function mapMarked(value: unknown, marks: readonly NameMark[], translate: Translate): unknown {
  return marks.reduce((result, mark) => {
    const colon = mark.indexOf(':');
    const path = mark.slice(colon + 1);
    return mapAt(result, path === '' ? [] : path.split('.'), mark.slice(0, colon) === 'keys', translate);
  }, value);
}

function mapAt(value: unknown, path: readonly string[], keys: boolean, translate: Translate): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) {
    if (!keys) return typeof value === 'string' ? translate(value) : value;
    return isRecord(value) ? mapKeys(value, translate) : value;
  }
  if (segment === '[]') return Array.isArray(value) ? value.map((item) => mapAt(item, rest, keys, translate)) : value;
  if (!isRecord(value)) return value;
  const wanted = segment === '*' ? Object.keys(value) : segment in value ? [segment] : [];
  if (wanted.length === 0) return value;
  const copy = { ...value };
  for (const key of wanted) copy[key] = mapAt(value[key], rest, keys, translate);
  return copy;
}

function mapKeys(record: Record<string, unknown>, translate: Translate): Record<string, unknown> {
  const result = new Map<string, unknown>();
  for (const [key, item] of Object.entries(record)) {
    const word = translate(key);
    if (result.has(word)) throw new NameCollision(word);
    result.set(word, item);
  }
  return Object.fromEntries(result);
}
