// Applies `--query` (JMESPath) to a result, and keeps 64-bit integers exact.
import { usageError } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/json.ts';

export type Query = (data: unknown) => unknown;

/** Compiles the expression before the command does anything. Throws KnownError usage (2) if it is invalid. */
export async function compileQuery(expression: string): Promise<Query> {
  const { compile, TreeInterpreter } = await import('@jmespath-community/jmespath');
  let tree: ReturnType<typeof compile>;
  try {
    tree = compile(expression);
  } catch (error) {
    throw usageError(
      `--query is not a valid JMESPath expression: ${(error as Error).message}`,
      'See jmespath.org for the syntax.',
    );
  }
  return (data) => {
    try {
      return TreeInterpreter.search(tree, withoutBigIntegers(data) as never) as unknown;
    } catch (error) {
      throw usageError(`--query cannot be applied to this result: ${(error as Error).message}`);
    }
  };
}

const NAMED = 12;

/** Returns the note for a query without results. It names the fields, because JMESPath accepts unknown ones. */
export function foundNothing(data: unknown, severalProfiles: boolean): string {
  const text = 'The query found nothing.';
  if (severalProfiles) return `${text} With several profiles, it is applied to the list of {profile, data}.`;
  const record: unknown = Array.isArray(data) ? data[0] : data;
  if (!isRecord(record)) return text;
  const fields = Object.keys(record);
  if (fields.length === 0) return text;
  const named = `${fields.slice(0, NAMED).join(', ')}${fields.length > NAMED ? ', …' : ''}`;
  return `${text} It was applied to ${Array.isArray(data) ? 'a list of records' : 'a record'} with ${named}.`;
}

/** Converts big integers to strings, which are exact, because JMESPath supports only doubles. */
function withoutBigIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(withoutBigIntegers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutBigIntegers(item)]));
}
