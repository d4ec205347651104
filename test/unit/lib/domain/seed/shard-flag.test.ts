// `--shard`: numbers passed by the user or set by an engine, and contradictions between them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseShard, type Shard } from '../../../../../src/lib/domain/seed/shard.ts';
import { KnownError } from '../../../../../src/lib/kernel/errors.ts';

type Env = Record<string, string>;

const kubernetes = (index: string): Env => ({ JOB_COMPLETION_INDEX: index });
const parallel = (number: string): Env => ({ PARALLEL_SEQ: number, PARALLEL_JOBSLOT: '1' });
const aws = (index: string, size: string): Env => ({
  AWS_BATCH_JOB_ARRAY_INDEX: index,
  AWS_BATCH_JOB_ARRAY_SIZE: size,
});
function slurm(id: number, [first, last, step, count]: [number, number, number, number]): Env {
  const numbers = { ID: id, MIN: first, MAX: last, STEP: step, COUNT: count };
  return Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [`SLURM_ARRAY_TASK_${name}`, String(value)]),
  );
}

/** Returns the shard, or the error message and its hint. */
function shardOf(text: string, env: Env): Shard | string {
  try {
    return parseShard(text, env);
  } catch (error) {
    if (error instanceof KnownError && error.code === 'usage') return `${error.message} ${error.hint ?? ''}`.trim();
    throw error;
  }
}

const CASES: [string, Env, Shard | RegExp][] = [
  ['1/1', {}, { index: 0, count: 1 }],
  ['1/8', {}, { index: 0, count: 8 }],
  ['8/8', {}, { index: 7, count: 8 }],
  ['0/8', {}, { index: 7, count: 8 }],
  ['002/010', {}, { index: 1, count: 10 }],
  ['2/8', kubernetes('5'), { index: 1, count: 8 }],
  ['9/8', {}, /^--shard 9\/8: the run has only 8 shards\. Shards are numbered 1 to 8\.$/],
  ['auto/8', kubernetes('0'), { index: 0, count: 8 }],
  ['auto/8', kubernetes('7'), { index: 7, count: 8 }],
  ['auto/20', kubernetes('12'), { index: 12, count: 20 }],
  [
    'auto/8',
    kubernetes('8'),
    /^--shard auto\/8: JOB_COMPLETION_INDEX is 8, but Kubernetes numbers 8 shards from 0 to 7\. N must be/,
  ],
  [
    'auto',
    kubernetes('3'),
    /^--shard auto: Kubernetes does not report the number of shards\. Pass it: --shard auto\/N\.$/,
  ],
  ['auto/8', kubernetes('-1'), /JOB_COMPLETION_INDEX must be a whole number, not `-1`/],
  ['auto/8', kubernetes('1x'), /JOB_COMPLETION_INDEX must be a whole number, not `1x`/],
  ['auto/8', kubernetes('1234567890'), /JOB_COMPLETION_INDEX must be a whole number/],
  [
    'auto/8',
    {},
    /^--shard auto\/8: none of these variables is set: JOB_COMPLETION_INDEX \(Kubernetes\), .*PARALLEL_SEQ \(GNU parallel\)\./,
  ],
  ['auto', kubernetes(''), /Pass the number yourself: --shard I\/N\.$/],
  ['auto/3', parallel('3'), { index: 2, count: 3 }],
  ['auto/3', parallel('4'), /^--shard auto\/3: PARALLEL_SEQ is 4, but GNU parallel numbers 3 shards from 1 to 3\./],
  ['auto/3', parallel('0'), /^--shard auto\/3: PARALLEL_SEQ is 0, but GNU parallel numbers 3 shards from 1 to 3\./],
  ['auto', parallel('3'), /^--shard auto: GNU parallel does not report/],
  ['auto', aws('0', '10'), { index: 0, count: 10 }],
  ['auto/10', aws('9', '10'), { index: 9, count: 10 }],
  [
    'auto',
    aws('10', '10'),
    /^--shard auto: AWS_BATCH_JOB_ARRAY_INDEX is 10, but AWS Batch numbers 10 shards from 0 to 9\./,
  ],
  ['auto/8', aws('1', '10'), /^--shard auto\/8: AWS Batch runs 10 shards\./],
  ['auto', { AWS_BATCH_JOB_ARRAY_INDEX: '1' }, /^--shard auto: AWS_BATCH_JOB_ARRAY_SIZE is not set\./],
  ['auto', slurm(1, [1, 40, 1, 40]), { index: 0, count: 40 }],
  ['auto', slurm(0, [0, 39, 1, 40]), { index: 0, count: 40 }],
  ['auto/40', slurm(39, [0, 39, 1, 40]), { index: 39, count: 40 }],
  ['auto', slurm(25, [5, 45, 10, 5]), { index: 2, count: 5 }],
  ['auto', slurm(7, [7, 7, 1, 1]), { index: 0, count: 1 }],
  ['auto/40', slurm(3, [3, 17, 14, 2]), /^--shard auto\/40: Slurm runs 2 shards\..*rerun individual shards/],
  ['auto', slurm(3, [1, 7, 1, 3]), /the Slurm array's 3 numbers from 1 to 7 are not evenly spaced/],
  ['auto', slurm(8, [5, 45, 10, 5]), /not evenly spaced/],
  ['auto', slurm(3, [1, 9, 0, 3]), /not evenly spaced/],
  ['auto', { SLURM_ARRAY_TASK_ID: '3' }, /SLURM_ARRAY_TASK_COUNT is not set/],
  [
    'auto/8',
    { ...slurm(1, [1, 8, 1, 8]), ...parallel('1') },
    /both SLURM_ARRAY_TASK_ID \(Slurm\) and PARALLEL_SEQ \(GNU parallel\) number this process/,
  ],
  ...['', '1', '1/', '/8', '1/0', 'auto/0', 'auto/', 'auto/x', '-1/8', '1/8x', 'x1/8', '1.5/8', '1/1234567'].map(
    (text): [string, Env, RegExp] => [
      text,
      {},
      /^--shard must be I\/N, auto or auto\/N, for example 2\/8, not `.*`\.$/,
    ],
  ),
  ...['1234567/8', 'Auto/8', '1 / 8', 'autoauto'].map((text): [string, Env, RegExp] => [text, {}, /^--shard must be/]),
];

test.each(CASES.filter(([, , wanted]) => !(wanted instanceof RegExp)))(
  'accepts --shard %s with the variables %j',
  (text, env, wanted) => {
    expect(shardOf(text, env)).toEqual(wanted);
  },
);

test.each(CASES.filter(([, , wanted]) => wanted instanceof RegExp))(
  'rejects --shard %j with the variables %j',
  (text, env, wanted) => {
    expect(shardOf(text, env)).toMatch(wanted as RegExp);
  },
);

describe('the processes of an engine', () => {
  const anyCount = fc.integer({ min: 1, max: 50 });
  const shardsOf = (count: number, text: string, envOf: (number: number) => Env): (number | string)[] =>
    Array.from({ length: count }, (_, number) => {
      const found = shardOf(text, envOf(number));
      return typeof found === 'string' ? found : found.count === count ? found.index : found.count;
    });
  const all = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

  test('receive every shard exactly once in a Slurm array with any minimum and step', () => {
    fc.assert(
      fc.property(anyCount, fc.nat(1000), fc.integer({ min: 1, max: 20 }), fc.nat(19), (count, first, step, beyond) => {
        const last = first + step * (count - 1) + Math.min(beyond, step - 1);
        const envOf = (number: number): Env => slurm(first + step * number, [first, last, step, count]);
        expect(shardsOf(count, 'auto', envOf)).toEqual(all(count));
        expect(shardsOf(count, `auto/${count}`, envOf)).toEqual(all(count));
      }),
    );
  });

  test('receive every shard exactly once in Kubernetes, AWS Batch and GNU parallel', () => {
    fc.assert(
      fc.property(anyCount, (count) => {
        expect(shardsOf(count, `auto/${count}`, (number) => kubernetes(String(number)))).toEqual(all(count));
        expect(shardsOf(count, 'auto', (number) => aws(String(number), String(count)))).toEqual(all(count));
        expect(shardsOf(count, `auto/${count}`, (number) => parallel(String(number + 1)))).toEqual(all(count));
      }),
    );
  });
});
