// Draws values from a JSON Schema, and modified copies of a value.
import fc, { type Arbitrary } from 'fast-check';

export interface Schema extends Record<string, unknown> {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  pattern?: string;
  format?: string;
}

const FORMATS: Record<string, Arbitrary<string>> = {
  'date-time': fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
    .map((date) => date.toISOString()),
  date: fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
    .map((date) => date.toISOString().slice(0, 10)),
  uuid: fc.uuid({ version: 4 }),
  // Creating `fc.webUrl` takes a second, because it lists every code point.
  uri: fc
    .tuple(fc.domain(), fc.array(fc.string({ unit: 'grapheme' })))
    .map(([host, path]) => `https://${host}/${path.map(encodeURIComponent).join('/')}`),
};

/** Texts that match the patterns in the document. */
const SAMPLES = [
  'a',
  'lakehouse',
  'customers',
  'daily-customers',
  'SELECT id FROM shop.customers',
  '1d',
  '7',
  '1.5',
  '3.0',
];
const TIMES = ['2026-01-31T08:00:00Z', '2026-02-01T00:00:00Z'];

function textOf({ format = '', maxLength = 40, minLength = 0, pattern }: Schema): Arbitrary<string> {
  const known = FORMATS[format];
  if (known) return known;
  const [least, most] = [Number(minLength), Math.min(Number(maxLength), 60)];
  if (pattern === undefined) return fc.string({ minLength: least, maxLength: most, unit: 'grapheme' });
  const fits = [...SAMPLES, ...TIMES, 'opendsr.platform.example', 'https://callback.example/x'].filter((text) =>
    new RegExp(pattern, 'u').test(text),
  );
  const free = fc.string({ minLength: 1, maxLength: most }).filter((text) => new RegExp(pattern, 'u').test(text));
  return fits.length === 0 ? free : fc.constantFrom(...fits);
}

function objectOf(schema: Schema): Arbitrary<unknown> {
  const { additionalProperties, properties = {}, propertyNames, required = [] } = schema;
  // Alternative combinations of required fields.
  const forms = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const fixed = Object.entries(properties);
  if (fixed.length > 0) {
    const model = Object.fromEntries(fixed.map(([name, inner]) => [name, valueOf(inner)]));
    const needed = (form: Schema): Arbitrary<unknown> => {
      const all = [...required, ...(form.required ?? [])].filter((name) => name in model);
      return fc.record(model, { requiredKeys: [...new Set(all)] });
    };
    return forms.length === 0 ? needed({}) : fc.oneof(...forms.map(needed));
  }
  const { enum: names } = (propertyNames ?? {}) as Schema;
  const keys = names
    ? fc.constantFrom(...(names as string[]))
    : fc.constantFrom('opendsr.platform.example', '3001', 'a');
  const values = typeof additionalProperties === 'object' ? valueOf(additionalProperties as Schema) : fc.jsonValue();
  return fc.dictionary(keys, values, { maxKeys: 3 });
}

/** Draws values from a schema. The values may violate rules between fields. */
export function valueOf(schema: Schema): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const type = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (schema.properties ?? type[0] === 'object') return objectOf(schema);
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms) return fc.oneof(...forms.map(valueOf));
  return fc.oneof(...type.map((one) => simpleOf(one, schema)));
}

function simpleOf(type: string | undefined, schema: Schema): Arbitrary<unknown> {
  switch (type) {
    case 'array':
      return fc.array(valueOf(schema.items ?? {}), { minLength: Number(schema['minItems'] ?? 0), maxLength: 3 });
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return fc.integer({ min: Number(schema['minimum'] ?? -1000), max: 100_000 });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.oneof(fc.constantFrom(1, '7', 'text'), fc.jsonValue());
  }
}

/** Draws copies of the value with one field at any depth removed, or replaced by an arbitrary JSON value. */
export function changed(value: unknown): Arbitrary<unknown> {
  const paths = pathsOf(value);
  const replaced = (path: readonly (string | number)[], by: unknown): unknown => {
    if (path.length === 0) return by;
    const copy = structuredClone(value) as Record<string | number, unknown>;
    const parent = path.slice(0, -1).reduce((inner, step) => inner[step] as typeof copy, copy);
    const last = path.at(-1) ?? '';
    if (by === undefined) Reflect.deleteProperty(parent, last);
    else parent[last] = by;
    return copy;
  };
  return fc
    .tuple(
      fc.constantFrom(...paths),
      fc.oneof(fc.constant(undefined), fc.jsonValue(), fc.constantFrom('', ' ', '\u0000', -1, 2 ** 53)),
    )
    .map(([path, by]) => replaced(path, by));
}

function pathsOf(value: unknown): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [[], ...entries.flatMap(([key, inner]) => pathsOf(inner).map((rest) => [key, ...rest]))];
}
