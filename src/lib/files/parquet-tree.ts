// Assembles a column's values row by row: lists, maps and structs, based on the levels of their leaves.
import type { SchemaElement, SchemaTree } from 'hyparquet';
import type { ColumnChunk, Leaf } from './parquet-chunk.ts';
import { BadValue, leafConverter } from './parquet-values.ts';

export interface ColumnReader {
  leaves: readonly LeafReader[];
  read(): unknown;
}

export interface LeafReader extends Leaf {
  path: readonly string[];
  chunk: ColumnChunk;
}

type Report = (message: string) => void;

interface Levels {
  definition: number;
  repetition: number;
}

const TOP: Levels = { definition: 0, repetition: 0 };

/**
 * Returns a reader for a column or, with the levels `above` it, for a field. It reads a list if the field is repeated;
 * otherwise, a value, which may be null. `report` receives problems with values. Throws for an unsupported type.
 */
export function fieldReader(tree: SchemaTree, report: Report, above = TOP): ColumnReader {
  const { element, children } = tree;
  const levels = levelsOf(element, above);
  const one = valueReader(tree, levels, report);
  if (element.repetition_type === 'REPEATED') return listReader(one, levels);
  return element.repetition_type === 'OPTIONAL' && children.length > 0 ? unlessAbsent(one, levels, () => null) : one;
}

function levelsOf({ repetition_type }: SchemaElement, { definition, repetition }: Levels): Levels {
  return {
    definition: definition + (repetition_type === 'REQUIRED' ? 0 : 1),
    repetition: repetition + (repetition_type === 'REPEATED' ? 1 : 0),
  };
}

function valueReader(tree: SchemaTree, levels: Levels, report: Report): ColumnReader {
  const { element, children } = tree;
  const [only] = children;
  if (only === undefined) return leafReader(tree, levels, report);
  const kind = element.logical_type?.type ?? element.converted_type ?? '';
  if (kind === 'VARIANT') throw new Error('VARIANT');
  if (children.length === 1 && only.element.repetition_type === 'REPEATED') {
    const inner = levelsOf(only.element, levels);
    if (kind === 'LIST') {
      const [item] = only.children;
      const isWrapped = item !== undefined && only.children.length === 1 && !isItem(only.element.name, element.name);
      return listReader(isWrapped ? fieldReader(item, report, inner) : valueReader(only, inner, report), inner);
    }
    if (kind.startsWith('MAP') && only.children.length === 2) return mapReader(only, inner, report);
  }
  return structReader(children, levels, report);
}

/** True if a repeated group with this name is the item itself, as in old files (parquet-format, LogicalTypes). */
const isItem = (name: string, list: string): boolean => name === 'array' || name === `${list}_tuple`;

function leafReader({ element, path }: SchemaTree, levels: Levels, report: Report): ColumnReader {
  const leaf = {
    element,
    path,
    maxDefinition: levels.definition,
    maxRepetition: levels.repetition,
    convert: leafConverter(element),
  } as Partial<LeafReader> as LeafReader;
  return {
    leaves: [leaf],
    read: () => {
      const value = leaf.chunk.take();
      if (!(value instanceof BadValue)) return value;
      report(value.message);
      return value.text;
    },
  };
}

/** If the definition level says that there is no value, the reader skips each leaf's entry and returns `absent()`. */
function unlessAbsent({ leaves, read }: ColumnReader, { definition }: Levels, absent: () => unknown): ColumnReader {
  const [first] = leaves as readonly [LeafReader];
  return {
    leaves,
    read: () => {
      if (first.chunk.definition >= definition) return read();
      for (const { chunk } of leaves) chunk.take();
      return absent();
    },
  };
}

function listReader({ leaves, read }: ColumnReader, levels: Levels): ColumnReader {
  const [first] = leaves as readonly [LeafReader];
  const several = (): unknown[] => {
    const items: unknown[] = [];
    do items.push(read());
    while (first.chunk.repetition === levels.repetition);
    return items;
  };
  return unlessAbsent({ leaves, read: several }, levels, () => []);
}

function mapReader({ children }: SchemaTree, levels: Levels, report: Report): ColumnReader {
  const [key, value] = children.map((child) => fieldReader(child, report, levels)) as [ColumnReader, ColumnReader];
  const pair = { leaves: [...key.leaves, ...value.leaves], read: () => [key.read(), value.read()] };
  const { leaves, read } = listReader(pair, levels);
  return {
    leaves,
    read: () => {
      const map: Record<string, unknown> = {};
      for (const [name, item] of read() as [unknown, unknown][]) {
        if (typeof name !== 'string' && typeof name !== 'bigint' && !Number.isInteger(name))
          report('has keys that are neither strings nor integers');
        const text = String(name);
        if (Object.hasOwn(map, text)) report(`has the duplicate key \`${text}\``);
        // An assignment to the key `__proto__` would set the prototype.
        if (text === '__proto__') report('has a key that is not allowed');
        else map[text] = item;
      }
      return map;
    },
  };
}

/** Omits null fields, because null is the only way to express that a field is absent. */
function structReader(children: readonly SchemaTree[], levels: Levels, report: Report): ColumnReader {
  const fields = children
    .filter(({ element }) => element.name !== '__proto__')
    .map((child) => ({ name: child.element.name, ...fieldReader(child, report, levels) }));
  return {
    leaves: fields.flatMap(({ leaves }) => leaves),
    read: () => {
      const struct: Record<string, unknown> = {};
      for (const { name, read } of fields) {
        const value = read();
        if (value !== null) struct[name] = value;
      }
      return struct;
    },
  };
}
