// The shape of a command's JSON, read from the words in its help: one source for the help, `schema output` and its test.
import type { Command } from 'commander';
import { type CommandHelp, helpOf, pathOf } from '../command-line/help.ts';
import { jsonSchemaOfResult, type Schema, shapeOf as shapeOfSchema } from './result-schema.ts';

const DRAFT = 'http://json-schema.org/draft-07/schema#';

/**
 * The JSON Schema (draft 7) of what the command prints under `-o json`, made from `json` of its help:
 * `{"id","tasks":[{"task_id"}],"state":"on"|"off"|null,…}`. A key stands for a field that is always there, one with a
 * question mark behind it for one that may be; `…` for fields that are not listed, `<name>` for any key. Words beside
 * brackets say when a shape is the answer, so several are alternatives. Undefined where the help says nothing.
 */
export function resultSchema(command: Command): Schema | undefined {
  const help = helpOf(command);
  if (!help) return undefined;
  const text = shapeTextOf(help);
  if (text === undefined) return undefined;
  return { $schema: DRAFT, title: `What \`${pathOf(command)} -o json\` prints`, description: text, ...schemaOf(help) };
}

/** The shape of a command's result for people; undefined for a command without one. */
export function shapeTextOf({ json, output }: CommandHelp): string | undefined {
  return output ? shapeOfSchema(jsonSchemaOfResult(output())) || 'any JSON' : json;
}

/** The same where `--profile` is given several times; undefined for a command that takes one. */
export function repeatedSchema(command: Command): Schema | undefined {
  const help = helpOf(command);
  const json = help && shapeTextOf(help);
  if (json === undefined || help?.reads !== true) return undefined;
  const part = (key: string, value: Schema): Schema => ({
    type: 'object',
    properties: { profile: { type: 'string' }, [key]: value },
    required: ['profile', key],
  });
  const text = { type: 'string' };
  const error = { type: 'object', properties: { code: text, message: text }, required: ['code', 'message'] };
  return {
    $schema: DRAFT,
    title: `What \`${pathOf(command)} -o json\` prints for several profiles`,
    description: `[{"profile","data":${json}}], or {"profile","error"} for one that failed`,
    type: 'array',
    items: { oneOf: [part('data', schemaOf(help)), part('error', error)] },
  };
}

/** The fields of what the command prints, or of each item: those that all forms of the result have. */
export function fieldsOf(command: Command): string[] {
  const forms = closedSchemasOf(helpOf(command)).flatMap((shape) => (shape['anyOf'] ?? [shape]) as Schema[]);
  const [first = [], ...others] = forms.map((form) =>
    Object.keys(((form['items'] ?? form) as Schema)['properties'] ?? {}),
  );
  return first.filter((field) => others.every((fields) => fields.includes(field)));
}

/** The forms that a result may take, objects closed: a field that is not listed is a mistake. */
export function closedSchemasOf({ json = '', output }: Partial<CommandHelp> = {}): Schema[] {
  return output ? [jsonSchemaOfResult(output())] : shapesIn(json);
}

function schemaOf(help: CommandHelp): Schema {
  const shapes = closedSchemasOf(help).map(opened);
  return shapes.length > 1 ? { anyOf: shapes } : (shapes[0] ?? {});
}

/**
 * Every shape in brackets of the text; what stands between them is prose. Objects are closed: a field that is not listed
 * is a mistake of the help. Throws Error for a bracket left open.
 */
export function shapesIn(text: string): Schema[] {
  const reader = createReader(text);
  const shapes: Schema[] = [];
  while (reader.skipTo('{[')) shapes.push(readValue(reader));
  return shapes;
}

/** The same for readers of tomorrow's answers, which may have further fields. */
function opened(value: Schema): Schema {
  const entries = Object.entries(value).filter(([key, item]) => key !== 'additionalProperties' || item !== false);
  const open = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(open);
    return typeof item === 'object' && item !== null ? opened(item as Schema) : item;
  };
  return Object.fromEntries(entries.map(([key, item]) => [key, open(item)]));
}

interface Reader {
  /** The next character that is no space; undefined at the end. */
  peek(): string | undefined;
  /** Takes the text when it comes next. */
  take(text: string): boolean;
  /** Takes what the expression matches next. */
  match(expression: RegExp): string | undefined;
  skipTo(characters: string): boolean;
  fail(wanted: string): Error;
}

function createReader(text: string): Reader {
  let index = 0;
  const skipSpace = (): void => {
    while (/\s/.test(text.charAt(index))) index++;
  };
  return {
    peek: () => {
      skipSpace();
      return text[index];
    },
    take: (wanted) => {
      skipSpace();
      if (!text.startsWith(wanted, index)) return false;
      index += wanted.length;
      return true;
    },
    match: (expression) => {
      skipSpace();
      const found = new RegExp(expression.source, 'y');
      found.lastIndex = index;
      const match = found.exec(text)?.[0];
      index += match?.length ?? 0;
      return match;
    },
    skipTo: (characters) => {
      while (index < text.length && !characters.includes(text.charAt(index))) index++;
      return index < text.length;
    },
    fail: (wanted) => new Error(`the shape lacks ${wanted} at \`${text.slice(index, index + 20)}\``),
  };
}

const WORDS: Readonly<Record<string, Schema>> = {
  null: { type: 'null' },
  true: { const: true },
  false: { const: false },
  integer: { type: 'integer' },
  number: { type: 'number' },
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  Role: { type: 'object', required: ['role_id', 'tasks'] },
};

/** A value with its alternatives: `"on"|"off"|null`. */
function readValue(reader: Reader): Schema {
  const alternatives = [readSingle(reader)];
  while (reader.take('|')) alternatives.push(readSingle(reader));
  return alternatives.length === 1 ? (alternatives[0] ?? {}) : { anyOf: alternatives };
}

function readSingle(reader: Reader): Schema {
  if (reader.take('{')) return readObject(reader);
  if (reader.take('[')) return readArray(reader);
  const quoted = reader.match(/"[^"]*"/);
  if (quoted !== undefined) return readText(quoted.slice(1, -1));
  if (reader.take('…')) return {};
  const word = reader.match(/\w+/);
  if (word === undefined) throw reader.fail('a value');
  // Any other word is the name of what stands there: `[role_id]`.
  return WORDS[word] ?? {};
}

/** `"ok|failed"` lists values; `"env:NAME"` and `"type/id"` are examples of a text. */
function readText(text: string): Schema {
  if (text.includes('|')) return { enum: text.split('|') };
  return /[:/…]/.test(text) ? { type: 'string' } : { const: text };
}

function readArray(reader: Reader): Schema {
  const items: Schema[] = [];
  while (!reader.take(']')) {
    if (items.length > 0 && !reader.take(',')) throw reader.fail('`,` or `]`');
    // In a list a text is an example of its items.
    const text = reader.match(/"[^"]*"/);
    items.push(text === undefined ? readValue(reader) : { type: 'string' });
  }
  return { type: 'array', ...(items[0] && { items: items[0] }) };
}

function readObject(reader: Reader): Schema {
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  let rest: Schema | boolean = false;
  for (let first = true; !reader.take('}'); first = false) {
    if (!first && !reader.take(',')) throw reader.fail('`,` or `}`');
    if (reader.take('…')) {
      rest = true;
      continue;
    }
    const key = reader.match(/"[^"]*"|\w+/);
    if (key === undefined) throw reader.fail('a key');
    const optional = reader.take('?');
    // `(null with --against)`: a remark for readers.
    reader.match(/\([^()]*\)/);
    const value = reader.take(':') ? readValue(reader) : {};
    // An unquoted key, or one in angle brackets, stands for whatever keys there are.
    const name = /^"([^<"]*)"$/.exec(key)?.[1];
    if (name === undefined) rest = value;
    else {
      properties[name] = value;
      if (!optional) required.push(name);
    }
  }
  return {
    type: 'object',
    ...(Object.keys(properties).length > 0 && { properties, required }),
    additionalProperties: rest,
  };
}
