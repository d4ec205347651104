// Divides an input among several machines: every row belongs to exactly one shard. `--shard` is I/N, or `auto` for the
// number that an engine such as Kubernetes assigns to each process.
import { usageError } from '../../kernel/errors.ts';
import { counted } from '../../kernel/words.ts';

/** `index` is 0-based. */
export interface Shard {
  index: number;
  count: number;
}

/** Number of consecutive records in the same shard. */
const RECORDS_TOGETHER = 1000;

/** True if the record with this 0-based number belongs to the shard. */
export function inRecordShard(record: number, shard: Shard | undefined, together = RECORDS_TOGETHER): boolean {
  return shard === undefined || Math.floor(record / together) % shard.count === shard.index;
}

/** Returns the byte range in which the shard's lines start. */
export function shardRange(size: number, shard: Shard | undefined): { start: number; end: number } {
  if (shard === undefined) return { start: 0, end: size };
  const edge = (index: number): number => Number((BigInt(size) * BigInt(index)) / BigInt(shard.count));
  return { start: edge(shard.index), end: edge(shard.index + 1) };
}

type Env = Readonly<Record<string, string | undefined>>;

interface Engine {
  name: string;
  /** Variable in which the engine passes each process its number. */
  variable: string;
  /** Number of the first process. */
  from: number;
  /** Variable with the number of processes, if the engine sets one. */
  size?: string;
}

/** decision: D281 */
const ENGINES: readonly Engine[] = [
  { name: 'Kubernetes', variable: 'JOB_COMPLETION_INDEX', from: 0 },
  { name: 'Slurm', variable: 'SLURM_ARRAY_TASK_ID', from: 0, size: 'SLURM_ARRAY_TASK_COUNT' },
  { name: 'AWS Batch', variable: 'AWS_BATCH_JOB_ARRAY_INDEX', from: 0, size: 'AWS_BATCH_JOB_ARRAY_SIZE' },
  { name: 'GNU parallel', variable: 'PARALLEL_SEQ', from: 1 },
];

const BY_HAND = 'Pass the number yourself: --shard I/N.';

/** Parses I/N, `auto` or `auto/N`. I is 1-based; 0 means N, so 0-based numbers work too. Throws usage (2). */
export function parseShard(text: string, env: Env): Shard {
  const [match, wanted, number = 0, count = 0] = /^(?:auto(?:\/(\d{1,6}))?|(\d{1,6})\/(\d{1,6}))$/.exec(text) ?? [];
  if (match === undefined || /\/0+$/.test(match))
    throw usageError(`--shard must be I/N, auto or auto/N, for example 2/8, not \`${text}\`.`);
  const fault = (message: string, hint = BY_HAND): Error => usageError(`--shard ${text}: ${message}`, hint);
  if (match.startsWith('auto')) return engineShard(env, wanted === undefined ? undefined : Number(wanted), fault);
  const [index, parts] = [Number(number), Number(count)];
  if (index > parts) throw fault(`the run has only ${counted(parts, 'shard')}.`, `Shards are numbered 1 to ${parts}.`);
  return { index: (index + parts - 1) % parts, count: parts };
}

function engineShard(env: Env, wanted: number | undefined, fault: (message: string, hint?: string) => Error): Shard {
  const [engine, other] = ENGINES.filter(({ variable }) => (env[variable] ?? '') !== '');
  const title = ({ name, variable }: Engine): string => `${variable} (${name})`;
  if (engine === undefined) throw fault(`none of these variables is set: ${ENGINES.map(title).join(', ')}.`);
  if (other !== undefined) throw fault(`both ${title(engine)} and ${title(other)} number this process.`);
  const { from, name, size, variable } = engine;
  const read = (key: string): number => {
    const value = env[key] ?? '';
    if (/^\d{1,9}$/.test(value)) return Number(value);
    throw fault(value === '' ? `${key} is not set.` : `${key} must be a whole number, not \`${value}\`.`);
  };
  const number = read(variable);
  const count = size === undefined ? wanted : read(size);
  if (count === undefined) throw fault(`${name} does not report the number of shards.`, 'Pass it: --shard auto/N.');
  if (wanted !== undefined && count !== wanted)
    throw fault(
      `${name} runs ${counted(count, 'shard')}.`,
      'Pass the same number, or rerun individual shards with --shard I/N.',
    );
  const index = name === 'Slurm' ? slurmIndex(number) : number - from;
  if (Number.isInteger(index) && index >= 0 && index < count) return { index, count };
  throw fault(
    `${variable} is ${number}, but ${name} numbers ${counted(count, 'shard')} from ${from} to ${from + count - 1}.`,
    `N must be the number of processes that ${name} runs.`,
  );

  /** A Slurm array may start at any number and use any step, but its numbers must be evenly spaced. */
  function slurmIndex(id: number): number {
    const [first = 0, last = 0, step = 0] = ['MIN', 'MAX', 'STEP'].map((key) => read(`SLURM_ARRAY_TASK_${key}`));
    const found = (id - first) / step;
    if (Number.isInteger(found) && id <= last && Math.floor((last - first) / step) + 1 === count) return found;
    throw fault(`the Slurm array's ${count} numbers from ${first} to ${last} are not evenly spaced.`);
  }
}
