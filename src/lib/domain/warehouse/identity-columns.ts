// Checks whether the query of a data model returns a column that identifies a user.
import { USER_IDENTITY_TYPES } from '../../contract/identities.ts';
import type { createWireNames } from '../../contract/names.ts';

/** The usual identities, and columns that may hold them under another name. */
const LIKELY: Readonly<Record<string, RegExp>> = {
  customer_id: /^(?:cust|customer|client|member|user|person|account)?_?(?:id|key|no|nr|number|uuid)$/,
  email: /mail/,
  mobile_number: /mobile|phone/,
};

/** Whether a query returns an identity, and the columns that would do. `names` translates the deployment's words. */
export function identityColumns(sql: string, names: Pick<ReturnType<typeof createWireNames>, 'fromWire' | 'toWire'>) {
  const columns = selectedColumns(sql);
  const isIdentity = (column: string): boolean => {
    const word = names.fromWire(column.toLowerCase());
    return word === 'xpid' || USER_IDENTITY_TYPES.has(word);
  };
  const renamed = (columns ?? []).flatMap((column) => {
    const name = Object.keys(LIKELY).find((it) => LIKELY[it]?.test(column.toLowerCase()));
    return name === undefined ? [] : [`${column} AS ${names.toWire(name)}`];
  });
  return {
    isMissing: columns !== undefined && !columns.some(isIdentity),
    advice:
      renamed.length > 0
        ? `Return an identity, such as ${renamed.join(' or ')}`
        : `Return an identity column, such as ${[...Object.keys(LIKELY), 'xpid'].map(names.toWire).join(', ')}`,
  };
}

/** The names in the outer select list; undefined if it has a `*` or cannot be read. */
export function selectedColumns(sql: string): string[] | undefined {
  // What is not closed ends with the text: a search for its end from each place would take quadratic time.
  const tokens =
    sql.match(/--[^\n]*|\/\*[^]*?(?:\*\/|$)|'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|[(),]|[^\s(),'"`]+/g) ?? [];
  const columns: string[] = [];
  let depth = 0;
  let item: string | undefined;
  for (const token of tokens.filter((it) => !/^(?:--|\/\*)/.test(it))) {
    const isOuter = depth === 0;
    if (token === '(') depth++;
    else if (token === ')') depth--;
    if (!isOuter) item &&= '';
    else if (item === undefined) item = /^select$/i.test(token) ? '' : undefined;
    else if (token === ',' || /^from$/i.test(token)) {
      if (item !== '') columns.push(item);
      if (token !== ',') return columns;
      item = '';
    } else if (/(?:^|\.)\*$/.test(token)) return undefined;
    else item = /^["`\w]/.test(token) ? (token.split('.').at(-1) ?? '').replace(/["`]/g, '') : '';
  }
  return item === undefined ? undefined : [...columns, ...(item === '' ? [] : [item])];
}
