// Messages about writes that are confirmed by a read.
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/lib/errors/fail.ts';
import type { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { type ResourceCalls, resourceWriter } from '../../../../src/lib/workflows/resource-write.ts';

interface Thing {
  id: string;
  name: string;
  /** A field that an update may remove. */
  end?: string;
  created_on?: string;
  last_modified_on?: string;
}

const OURS = { id: 'a', name: 'ours' };
const THEIRS = { id: 'a', name: 'theirs' };
const ports = {
  out: { note: () => undefined, warn: () => undefined },
  signal: new AbortController().signal,
  flags: { retries: 4 },
};

const failed = (status: number, code = 'http.outcome_unknown'): KnownError =>
  new CliError({ code, message: 'No.', exit: 'network', status });

const missing = new CliError({ code: 'http.not_found', message: 'Not found.', exit: 'notFound', status: 404 });

/**
 * Returns calls whose writes fail with `error`, and whose reads return the `stored` things in order. Any further reads
 * return the last one.
 */
function calls(error: KnownError, ...stored: Thing[]): ResourceCalls<Thing, Thing> {
  const reject = () => Promise.reject(error);
  let reads = 0;
  return {
    ...{ noun: 'thing', group: 'things', create: reject, update: reject, delete: reject },
    get: () => Promise.resolve(stored[Math.min(reads++, stored.length - 1)] ?? OURS),
    list: () => Promise.resolve([]),
    comparable: ({ created_on: _created, last_modified_on: _stamp, ...thing }) => thing,
  };
}

describe('a conflict error', () => {
  it('is not reported if the platform no longer shows an updated resource', async () => {
    let reads = 0;
    const get = () => (++reads === 1 ? Promise.resolve(THEIRS) : Promise.reject(missing));
    const update = resourceWriter({ ...calls(failed(503)), get }, ports).update('a', OURS, THEIRS);
    await expect(update).rejects.toMatchObject({
      code: 'http.outcome_unknown',
      message: expect.stringMatching(/and the platform does not show the thing\.$/) as string,
    });
  });

  it('lists both possible causes if the outcome of an update is unknown', async () => {
    const before = { id: 'a', name: 'before' };
    const update = resourceWriter(calls(failed(503), before, THEIRS), ports).update('a', OURS, before);
    await expect(update).rejects.toMatchObject({
      code: 'resource.changed_meanwhile',
      message: expect.stringContaining('Either the write had no effect, or another admin changed it.') as string,
    });
  });

  it.each([
    ['update', () => resourceWriter(calls(failed(503), THEIRS), ports).update('a', OURS, OURS)],
    ['delete', () => resourceWriter(calls(failed(503), THEIRS), ports).delete('a', OURS)],
  ])('reports that nothing was sent if the resource changed before the %s', async (_write, run) => {
    await expect(run()).rejects.toMatchObject({
      message: expect.stringMatching(/changed thing a\. Nothing was sent\.$/) as string,
    });
  });

  it('reports that the creator of the resource is unknown if the creation was rejected', async () => {
    const create = resourceWriter(calls(failed(409, 'http.conflict'), THEIRS), ports).create(OURS);
    await expect(create).rejects.toMatchObject({
      code: 'resource.created_meanwhile',
      message: 'Conflict: the platform now has thing a. It is not known who created it.',
    });
  });

  it.each([400, 409, 422])('is not reported if the resource was created despite the status %i', async (status) => {
    const warnings: string[] = [];
    const out = { ...ports.out, warn: (text: string) => warnings.push(text) };
    const created = resourceWriter(calls(failed(status, 'http.refused'), OURS), { ...ports, out }).create(OURS);
    expect(await created).toEqual(OURS);
    expect(warnings).toEqual([
      expect.stringMatching(/^The platform rejected the write, but has thing a as it was sent/),
    ]);
  });

  it('is reported if the platform rejects a creation whose secrets cannot be compared', async () => {
    const resendSecrets = () => ({ text: 'To send its secrets:', command: 'cdpadm things update a -f FILE' });
    const create = resourceWriter({ ...calls(failed(409, 'http.conflict'), OURS), resendSecrets }, ports).create(OURS);
    await expect(create).rejects.toMatchObject({
      code: 'resource.created_meanwhile',
      message: expect.stringMatching(/has thing a as it was sent\. Its secrets may differ\.$/) as string,
      hints: [resendSecrets()],
    });
  });
});

it.each([
  ['differently', THEIRS],
  ['with the same fields', { ...OURS, created_on: '2' }],
])('does not send a deletion again if another admin has recreated the resource %s', async (_how, recreated) => {
  let sent = 0;
  const stored = calls(failed(503), OURS, recreated);
  const remove = (): Promise<never> => {
    sent++;
    return Promise.reject(failed(503));
  };
  await expect(resourceWriter({ ...stored, delete: remove }, ports).delete('a', OURS)).rejects.toMatchObject({
    code: 'resource.changed_meanwhile',
    message: 'Conflict: the platform still has thing a, but another admin changed or recreated it.',
  });
  expect(sent).toBe(1);
});

describe('a deletion whose response is lost, and that a read answers with 404,', () => {
  const remove = (list: () => Promise<Thing[]>) => {
    let [reads, sent] = [0, 0];
    const run = resourceWriter(
      {
        ...calls(failed(503), OURS),
        get: () => (++reads === 1 ? Promise.resolve(OURS) : Promise.reject(missing)),
        list,
        delete: () => {
          sent++;
          return Promise.reject(failed(503));
        },
      },
      ports,
    ).delete('a', OURS);
    return { run, sent: () => sent };
  };

  it('is confirmed by a list without the resource', async () => {
    await expect(remove(() => Promise.resolve([{ ...THEIRS, id: 'b' }])).run).resolves.toBeUndefined();
  });

  it('has an unknown outcome if the list cannot be read', async () => {
    await expect(remove(() => Promise.reject(missing)).run).rejects.toMatchObject({ code: 'http.outcome_unknown' });
  });

  it('is sent again, and finally reported as unknown, while the list shows the resource', async () => {
    const { run, sent } = remove(() => Promise.resolve([OURS]));
    await expect(run).rejects.toMatchObject({ code: 'http.outcome_unknown' });
    expect(sent()).toBe(3);
  });
});

describe('an update that only removes a field', () => {
  const before: Thing = { ...OURS, end: '2026', last_modified_on: '1' };
  const update = (reply: Thing, warnings: string[] = []) =>
    resourceWriter(
      { ...calls(failed(503), before), update: () => Promise.resolve(reply) },
      {
        ...ports,
        out: { ...ports.out, warn: (text: string) => warnings.push(text) },
      },
    ).update('a', OURS, before);

  it('is not confirmed by the previous version', async () => {
    await expect(update(before)).rejects.toMatchObject({ code: 'http.outcome_unknown' });
  });

  it('causes a warning if the platform keeps the field', async () => {
    const warnings: string[] = [];
    const kept = { ...before, last_modified_on: '2' };
    expect(await update(kept, warnings)).toEqual(kept);
    expect(warnings).toEqual(['The platform did not remove end from thing a.']);
  });

  it('is confirmed by a version without the field', async () => {
    const warnings: string[] = [];
    expect(await update({ ...OURS, last_modified_on: '2' }, warnings)).toMatchObject(OURS);
    expect(warnings).toEqual([]);
  });
});

it.each([
  [
    { status: 'faulted', errors: [{ message: 'no route' }, { message: 'try later.' }] },
    ['Thing a is faulted: no route; try later.'],
  ],
  [{ status: 'invalid', errors: null }, ['Thing a is invalid.']],
  [{ status: 'valid', errors: [{ message: 'a note' }] }, []],
])('warns about the condition of a resource that was written: %j', async (condition, expected) => {
  const warnings: string[] = [];
  const out = { ...ports.out, warn: (text: string) => warnings.push(text) };
  const create = () => Promise.resolve({ ...OURS, ...condition });
  await resourceWriter({ ...calls(failed(503)), create }, { ...ports, out }).create(OURS);
  expect(warnings).toEqual(expected);
});
