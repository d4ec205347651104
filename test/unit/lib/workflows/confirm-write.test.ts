// If the response does not prove a write, every command tries to confirm the write by a read. If that fails, the
// outcome is reported as unknown.
import { beforeEach, describe, expect, it } from 'vitest';
import type { DsrRequest } from '../../../../src/lib/contract/dsr.ts';
import { OutcomeUnknownError } from '../../../../src/lib/http/answer/failure.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { confirmWrite, lossOf, type Write } from '../../../../src/lib/workflows/confirm-write.ts';
import { cancelRequests } from '../../../../src/lib/workflows/dsr-cancel.ts';
import type { DsrPorts } from '../../../../src/lib/workflows/dsr-ports.ts';
import { submitRequest } from '../../../../src/lib/workflows/dsr-submit.ts';
import { resetPipeline, triggerPipeline, type TriggerPorts } from '../../../../src/lib/workflows/pipelines-run.ts';
import { resourceWriter } from '../../../../src/lib/workflows/resource-write.ts';
import { type Planned, replaceConfirmed } from '../../../../src/lib/workflows/roles-plan.ts';
import { failureOf } from '../../../helpers/failure.ts';

const ID = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c99';
const lost = (): Promise<never> => Promise.reject(new OutcomeUnknownError({ message: 'lost' }));
const closed = new KnownError({ code: 'network.reset', message: 'The connection was closed.' });
const stopped = new KnownError({ code: 'interrupted', message: 'Interrupted.' });

let stop: AbortController;
let messages: string[];
beforeEach(() => {
  stop = new AbortController();
  messages = [];
});

const ports = () => ({
  out: { note: (text: string) => messages.push(text), warn: (text: string) => messages.push(text) },
  signal: stop.signal,
  flags: { retries: 4 },
  clock: { now: () => 0, sleep: () => Promise.resolve() },
});

/** Writes by command name. The response to each write is lost, and `read`, which could confirm the write, fails. */
const WRITES: Record<
  string,
  { open: string; hint: RegExp; run: (read: () => Promise<never>, send: typeof lost) => Promise<unknown> }
> = {
  'roles push': {
    open: 'the roles PUT',
    hint: /roles diff.*revision-1/,
    run: (read, send) => {
      const api = { replace: send, get: read };
      const none = { roles: [] };
      return replaceConfirmed({ live: none, request: none } as unknown as Planned, 'revision-1', {
        ...ports(),
        api,
      } as never);
    },
  },
  'connections delete': {
    open: 'the write of connection x',
    hint: /connections get x/,
    run: (read, send) => {
      const rest = { create: lost, update: lost, comparable: (definition: object) => definition };
      const shown = { id: 'x' };
      let reads = 0;
      const get = () => (++reads === 1 ? Promise.resolve(shown) : read());
      const calls = { noun: 'connection', group: 'connections', get, list: read, delete: send, ...rest };
      return resourceWriter(calls, ports()).delete('x', shown);
    },
  },
  'dsr cancel': {
    open: `the cancellation of request ${ID}`,
    hint: new RegExp(`dsr status ${ID}`),
    run: (read, send) => {
      const plan = { cancel: [{ subject_request_id: ID }], keep: [] };
      const others = { ledger: {}, submitter: {} };
      return cancelRequests(plan as never, { ...ports(), ...others, api: { cancel: send, get: read } } as never);
    },
  },
  'dsr submit': {
    open: `the submission of request ${ID}`,
    hint: new RegExp(`dsr status ${ID}.*--request-id`),
    run: (read, send) => {
      const request = { subject_request_id: ID, regulation: 'gdpr', subject_identities: {} };
      const ledger = { record: () => Promise.resolve(), hash: () => Promise.resolve('digest') };
      const api = { create: send, get: read };
      return submitRequest(request as DsrRequest, {
        ...({ ...ports(), api, ledger, submitter: {} } as unknown as DsrPorts),
        verify: () => Promise.resolve(undefined),
        isNewId: true,
      });
    },
  },
  'pipelines reset': {
    open: 'the reset of pipeline x',
    hint: /pipelines report x/,
    run: (read, send) => {
      let reads = 0;
      const report = () => (++reads === 1 ? Promise.resolve({ current_iterator_position: 'a' }) : read());
      return resetPipeline('x', { ...ports(), api: { reset: send, report } } as never);
    },
  },
  'pipelines trigger': {
    open: 'the trigger of pipeline x',
    hint: /pipelines runs x/,
    run: (read, send) => {
      let lists = 0;
      const api = {
        report: () => Promise.resolve({ status: 'idle' }),
        runs: () => (++lists === 1 ? Promise.resolve({ items: [] }) : read()),
        trigger: send,
      };
      const options = { waitIdle: false, patient: false, pollMs: 1, onState: () => undefined };
      return triggerPipeline('x', options, { ...ports(), api } as unknown as TriggerPorts);
    },
  },
};

describe.each(Object.entries(WRITES))('a `%s` whose response was lost', (_command, { hint, open, run }) => {
  it('has an unknown outcome if the platform cannot be read, and the error explains how to check', async () => {
    const error = await failureOf(run(() => Promise.reject(closed), lost));
    expect(error).toMatchObject({
      code: 'http.outcome_unknown',
      hint: expect.stringMatching(hint),
    });
    expect(error.message).toBe(
      `The outcome of ${open} is unknown: the response was lost, and the platform cannot be read: The connection was closed.`,
    );
  });

  it('has an unknown outcome, and the exit code for an interruption, after Ctrl-C during the read', async () => {
    const read = (): Promise<never> => {
      stop.abort(stopped);
      return Promise.reject(stopped);
    };
    const error = await failureOf(run(read, lost));
    expect(error).toMatchObject({
      code: 'http.outcome_unknown',
      exit: 'interrupted',
      hint: expect.stringMatching(hint),
    });
    expect(error.message).toBe(
      `The outcome of ${open} is unknown: the response was lost, and the command was stopped.`,
    );
  });

  it('is not read back after Ctrl-C', async () => {
    let reads = 0;
    const error = await failureOf(
      run(
        () => {
          reads++;
          return Promise.reject(closed);
        },
        () => {
          stop.abort(stopped);
          return lost();
        },
      ),
    );
    expect(error).toMatchObject({ exit: 'interrupted', hint: expect.stringMatching(hint) });
    expect(error.message).toMatch(/the command was stopped\.$/);
    expect([reads, messages]).toEqual([0, []]);
  });
});

/** The result of a read: the resource as written, nothing yet, a different resource, or an error. */
type Stored = 'ours' | 'nothing' | 'foreign' | KnownError;

const rejection = (status: number): KnownError =>
  new KnownError({ code: 'http.bad_request', message: `Rejected (${status}).`, status });

interface Trial {
  /** The outcome of each send. Any further sends have the last outcome. */
  sends: readonly (string | KnownError)[];
  /** The result of each read. Any further reads have the last result. */
  reads?: readonly Stored[];
  write?: Partial<Write<string, Stored>>;
}

async function attempt({ reads = [], sends, write }: Trial) {
  const counts = { sends: 0, reads: 0 };
  const nth = <T>(list: readonly T[], number: number): T => list[Math.min(number, list.length) - 1] as T;
  const outcome = await confirmWrite<string, Stored>(
    {
      subject: 'the write',
      hint: 'Check it.',
      maxSends: 3,
      notes: { lost: 'reading', arrived: (done) => `arrived: ${done}`, again: 'again' },
      send: () => {
        const reply = nth(sends, ++counts.sends);
        return reply instanceof KnownError ? Promise.reject(reply) : Promise.resolve(reply);
      },
      isOurs: (result) => result === 'ours',
      read: () => {
        const stored = nth(reads, ++counts.reads);
        return stored instanceof KnownError ? Promise.reject(stored) : Promise.resolve(stored);
      },
      isAbout: (stored) => stored !== 'foreign',
      judge: (stored) => (stored === 'ours' ? { done: 'ours' } : 'not-done'),
      ...write,
    },
    ports(),
  );
  return { ...outcome, ...counts };
}

const loss = lossOf(closed);
const rejectedRepeat = new KnownError({
  code: 'http.outcome_unknown',
  message: 'Unknown.',
  status: 400,
  cause: rejection(400),
});

describe('confirmWrite', () => {
  it.each<[string, Trial, { state: string; sends: number; reads: number; error?: { status: number } }]>([
    ['reports success if the response proves the write', { sends: ['ours'] }, { state: 'done', sends: 1, reads: 0 }],
    ['reports success if the response is foreign but a read shows the write', { sends: ['other'], reads: ['ours'] }, { state: 'done', sends: 1, reads: 1 }],
    ['reports an unknown outcome if the response and the read are foreign', { sends: ['other'], reads: ['foreign'] }, { state: 'unknown', sends: 1, reads: 1 }],
    ['reports an unknown outcome if the response is foreign and the read fails', { sends: ['other'], reads: [closed] }, { state: 'unknown', sends: 1, reads: 1 }],
    ['reports success if the response is lost but a read shows the write', { sends: [loss], reads: ['ours'] }, { state: 'done', sends: 1, reads: 1 }],
    ['reports success if the response to the retry proves the write', { sends: [loss, 'ours'], reads: ['nothing'] }, { state: 'done', sends: 2, reads: 1 }],
    ['reports an unknown outcome if every response is lost and no read shows the write', { sends: [loss], reads: ['nothing'] }, { state: 'unknown', sends: 3, reads: 3 }],
    ['reports an unknown outcome if the response is lost and the read is foreign', { sends: [loss], reads: ['foreign'] }, { state: 'unknown', sends: 1, reads: 1 }],
    ['reports failure if the write is rejected', { sends: [rejection(400)] }, { state: 'not-done', sends: 1, reads: 0, error: { status: 400 } }],
    ['reports success if a retry is rejected because the lost write arrived late', { sends: [loss, rejection(400)], reads: ['nothing', 'ours'] }, { state: 'done', sends: 2, reads: 2 }],
    ['reports failure if a retry is rejected and no read shows the write', { sends: [loss, rejection(400)], reads: ['nothing'] }, { state: 'not-done', sends: 2, reads: 2 }],
    ['reports success if the client retried a write that arrived, and the retry was rejected', { sends: [rejectedRepeat], reads: ['ours'] }, { state: 'done', sends: 1, reads: 1 }],
    ['reports failure if the client retried a write that did not arrive, and the retry was rejected', { sends: [rejectedRepeat], reads: ['nothing'] }, { state: 'not-done', sends: 1, reads: 1 }],
    ['reports an unknown outcome if the retry was rejected and the read fails', { sends: [rejectedRepeat], reads: [closed] }, { state: 'unknown', sends: 1, reads: 1 }],
    ['reports success if a read shows the write despite a rejection', { sends: [rejection(400)], reads: ['ours'], write: { explained: [400] } }, { state: 'done', sends: 1, reads: 1 }],
    ['reports the rejection if the write is rejected and the read fails', { sends: [rejection(400)], reads: [closed], write: { explained: [400] } }, { state: 'not-done', sends: 1, reads: 1, error: { status: 400 } }],
    ['reports the rejection if the write is rejected and the read is foreign', { sends: [rejection(400)], reads: ['foreign'], write: { explained: [400] } }, { state: 'not-done', sends: 1, reads: 1, error: { status: 400 } }],
    ['reports success without sending if a read shows the write of an earlier run', { sends: ['ours'], reads: ['ours'], write: { doubt: { wasSent: true } } }, { state: 'done', sends: 0, reads: 1 }],
    ['reports an unknown outcome without sending if a write of an earlier run cannot be read', { sends: ['ours'], reads: [closed], write: { doubt: { wasSent: true } } }, { state: 'unknown', sends: 0, reads: 1 }],
    ['sends the write if the first read shows that the id is unused', { sends: ['ours'], reads: ['nothing'], write: { doubt: { wasSent: false } } }, { state: 'done', sends: 1, reads: 1 }],
    ['reports failure without sending if the id cannot be read first', { sends: ['ours'], reads: [closed], write: { doubt: { wasSent: false } } }, { state: 'not-done', sends: 0, reads: 1 }],
  ])('%s', async (_name, trial, expected) => {
    expect(await attempt(trial)).toMatchObject(expected);
  }); // prettier-ignore

  it('reports each step of a write that is sent again', async () => {
    await attempt({ sends: [loss], reads: ['nothing', 'ours'] });
    expect(messages).toEqual(['reading', 'again', 'reading', 'arrived: ours']);
  });

  it('returns a conflict error if a read shows a conflict', async () => {
    const outcome = await attempt({ sends: [loss], reads: ['ours'], write: { judge: () => rejection(409) } });
    expect(outcome).toMatchObject({ state: 'not-done', error: { status: 409 } });
  });

  it('rethrows an error that is not a KnownError', async () => {
    const bug = new TypeError('a bug');
    expect(await failureOf(attempt({ sends: ['ours'], write: { send: () => Promise.reject(bug) } }))).toBe(bug);
  });
});
