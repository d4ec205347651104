// Divides an input between several machines: every row is in exactly one shard. `--shard` is I/N, or the number that an
// engine assigns to each of its processes.
import { counted } from '../../kernel/words.ts';
import { LINE_FEED } from './scan.ts';

/** `index` from 0. */
export interface Shard {
  index: number;
  count: number;
}

/** The number of consecutive records in one shard. */
const RECORDS_TOGETHER = 1000;

/** True if the record with this number, from 0, belongs to the shard. */
export function inRecordShard(record: number, shard: Shard | undefined, together = RECORDS_TOGETHER): boolean {
  return shard === undefined || Math.floor(record / together) % shard.count === shard.index;
}

/** The byte range in which the shard's lines begin. */
export function shardRange(size: number, shard: Shard | undefined): { start: number; end: number } {
  if (shard === undefined) return { start: 0, end: size };
  const edge = (index: number): number => Number((BigInt(size) * BigInt(index)) / BigInt(shard.count));
  return { start: edge(shard.index), end: edge(shard.index + 1) };
}

export interface ByteShard {
  /** Offset at which reading begins. */
  from: number;
  /** The shard's bytes of the next chunk; undefined if it has none. */
  take(chunk: Buffer): { bytes: Buffer; offset: number } | undefined;
  /** True if the shard is complete. */
  readonly isOver: boolean;
}

/** The complete lines that begin in the range. `resumed` is the beginning of a line from which an earlier run continues. */
export function inByteShard({ start, end }: { start: number; end: number }, resumed: number | undefined): ByteShard {
  // The byte before the range shows whether a line begins at its start.
  const from = resumed ?? Math.max(0, start - 1);
  let at = from;
  let begun = resumed !== undefined || start === 0;
  let over = begun && from >= end;
  return {
    from,
    take: (chunk) => {
      if (over) return undefined;
      let first = 0;
      if (!begun) {
        const feed = chunk.indexOf(LINE_FEED);
        first = feed < 0 ? chunk.length : feed + 1;
        begun = feed >= 0;
      }
      const offset = at + first;
      let last = chunk.length;
      if (at + chunk.length >= end) {
        // The line that contains the last byte of the range is the shard's last line.
        const feed = chunk.indexOf(LINE_FEED, Math.max(0, end - 1 - at));
        if (feed >= 0) {
          last = feed + 1;
          over = true;
        }
      }
      at += chunk.length;
      return first >= last ? undefined : { bytes: chunk.subarray(first, last), offset };
    },
    get isOver() {
      return over;
    },
  };
}

type Env = Readonly<Record<string, string | undefined>>;

interface Engine {
  name: string;
  /** The variable that is set in each process that the engine numbers. */
  variable: string;
  /** `number` reads a variable. */
  shardOf(number: (variable: string) => number): { index: number; count: number | undefined };
}

/** decision: D281 */
const ENGINES: readonly Engine[] = [
  {
    name: 'Kubernetes',
    variable: 'JOB_COMPLETION_INDEX',
    shardOf: (number) => ({ index: number('JOB_COMPLETION_INDEX'), count: undefined }),
  },
  { name: 'Slurm', variable: 'SLURM_ARRAY_TASK_ID', shardOf: slurmShard },
  {
    name: 'AWS Batch',
    variable: 'AWS_BATCH_JOB_ARRAY_INDEX',
    shardOf: (number) => ({ index: number('AWS_BATCH_JOB_ARRAY_INDEX'), count: number('AWS_BATCH_JOB_ARRAY_SIZE') }),
  },
  {
    name: 'GNU parallel',
    variable: 'PARALLEL_SEQ',
    shardOf: (number) => ({ index: number('PARALLEL_SEQ') - 1, count: undefined }),
  },
];

/** An unusable variable of an engine, and the reason. */
class Unusable extends Error {}

/** The shard, or the reason why there is none. I counts from 1; 0 means N, so counting from 0 works too. */
export function parseShard(text: string, env: Env): Shard | string {
  const [match, wanted, number = 0, count = 0] = /^(?:auto(?:\/(\d{1,6}))?|(\d{1,6})\/(\d{1,6}))$/.exec(text) ?? [];
  if (match === undefined || /\/0+$/.test(match))
    return `--shard must be I/N, auto or auto/N, for example 2/8, not \`${text}\`.`;
  if (match.startsWith('auto')) return engineShard(env, wanted === undefined ? undefined : Number(wanted));
  const [index, parts] = [Number(number), Number(count)];
  if (index > parts) return `--shard ${text}: the run has only ${counted(parts, 'shard')}.`;
  return { index: (index + parts - 1) % parts, count: parts };
}

function engineShard(env: Env, wanted: number | undefined): Shard | string {
  const [engine, other] = ENGINES.filter(({ variable }) => (env[variable] ?? '') !== '');
  const title = ({ name, variable }: Engine): string => `${name} (${variable})`;
  if (engine === undefined) {
    const names = ENGINES.map(title);
    return `--shard auto reads the number of the shard from ${names.slice(0, -1).join(', ')} or ${names.at(-1)}, and none of them is set. With other engines, pass the number: --shard I/N.`;
  }
  if (other !== undefined)
    return `--shard auto: both ${title(engine)} and ${title(other)} number this process. Pass --shard I/N.`;
  try {
    const { count = wanted, index } = engine.shardOf((variable) => readNumber(env, variable));
    if (count === undefined) return `${engine.name} does not report the number of shards: pass --shard auto/N.`;
    if (wanted !== undefined && count !== wanted)
      return `--shard auto/${wanted}: ${engine.name} runs ${count} shards. Pass the same number, or rerun individual shards with --shard I/N.`;
    if (index >= 0 && index < count) return { index, count };
    return `${engine.variable} is ${env[engine.variable]}, and the run has only ${counted(count, 'shard')}.`;
  } catch (error) {
    if (error instanceof Unusable) return error.message;
    throw error;
  }
}

/** Throws Unusable. */
function readNumber(env: Env, variable: string): number {
  const text = env[variable] ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Unusable(`--shard auto: ${variable} must be a whole number, not \`${text}\`.`);
}

/** An array may start at any number and have any step, but its numbers must be evenly spaced. */
function slurmShard(number: (variable: string) => number): { index: number; count: number } {
  const [id, first, last, step, count] = ['ID', 'MIN', 'MAX', 'STEP', 'COUNT'].map((name) =>
    number(`SLURM_ARRAY_TASK_${name}`),
  ) as [number, number, number, number, number];
  const index = (id - first) / step;
  if (Number.isInteger(index) && Math.floor((last - first) / step) + 1 === count) return { index, count };
  throw new Unusable(
    `--shard auto: the ${count} numbers of the Slurm array, from ${first} to ${last}, are not evenly spaced. Pass --shard I/N.`,
  );
}
