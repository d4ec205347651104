// Finds the column that an issue belongs to, because the author of a table does not know the fields of a body.
import { type FieldIssue, showPath } from '../../contract/explain.ts';
import type { RowIssue } from './batch.ts';
import { isEmpty, seedValue, type TableAttribute } from './cells.ts';
import type { Column } from './columns.ts';

type Path = FieldIssue['path'];

/** The name of a column, and the remaining path inside its cell. */
interface Found {
  column: string;
  rest: Path;
}

/** The depth of a seed: `calculated_attributes`, workspace, number, `seed`, form. */
const SEED_DEPTH = 5;

/** `header` contains the column names of the file, even if a map changes their meaning. */
export function createColumnFinder(
  header: readonly string[],
  columns: readonly (Column | undefined)[],
  attributes: readonly TableAttribute[],
  toWire: (word: string) => string,
): (issue: FieldIssue, cells: readonly unknown[]) => RowIssue {
  const indexesOf = (isMeant: (column: Column) => boolean): number[] =>
    columns.flatMap((column, index) => (column !== undefined && isMeant(column) ? [index] : []));
  const title = (index: number | undefined): string => (header[index ?? -1] ?? '').trim();
  const plain = (kind: Column['kind']): string => title(indexesOf((column) => column.kind === kind)[0]) || kind;
  const users = indexesOf(({ kind }) => kind === 'user');
  const whom = indexesOf(({ kind }) => kind === 'xpid' || kind === 'identity');

  function find(path: Path, cells: readonly unknown[]): Found {
    const [field, key, place] = path;
    switch (field) {
      case undefined:
        // The only issue about a whole row is that no field identifies a user.
        return { column: whom.map(title).join(', '), rest: [] };
      case 'xpid':
      case 'environment':
        return { column: plain(field), rest: path.slice(1) };
      case 'identities': {
        const [index] = indexesOf(
          (column) => column.kind === 'identity' && toWire(column.type) === toWire(String(key)),
        );
        return { column: title(index), rest: path.slice(2) };
      }
      case 'user_attributes': {
        const filled = users.filter((index) => !isEmpty(cells[index]));
        return { column: title(filled[Number(place)]), rest: [] };
      }
      case 'calculated_attributes':
        return findSeed(path, cells);
      default:
        return { column: '', rest: path };
    }
  }

  function findSeed(path: Path, cells: readonly unknown[]): Found {
    if (path[3] === 'cutoff_date') return { column: plain('cutoff_date'), rest: [] };
    const filled = attributes.filter((attribute) => seedValue(attribute, cells) !== undefined);
    const places = filled[Number(path[2])]?.cells ?? [];
    const own = places.find(({ key }) => key !== undefined && key === path[SEED_DEPTH]);
    return own
      ? { column: title(own.index), rest: path.slice(SEED_DEPTH + 1) }
      : { column: title(places[0]?.index), rest: path.slice(SEED_DEPTH) };
  }

  return ({ path, message }, cells) => {
    const { column, rest } = find(path, cells);
    const inside = rest.length === 0 ? '' : `\`${showPath(rest)}\``;
    return { path: column, message: inside === '' || message.includes(inside) ? message : `${inside} ${message}` };
  };
}
