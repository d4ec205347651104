// Deeds whose answer is lost: each is looked into in the same way, and ends alike when that is stopped or tells nothing.
import { beforeEach, describe, expect, it } from 'vitest';
import type { DsrRequest } from '../../../src/lib/contract/dsr.ts';
import { OutcomeUnknownError } from '../../../src/lib/http/outcome-unknown.ts';
import { CliError, EXIT } from '../../../src/lib/kernel/errors.ts';
import { cancelRequests } from '../../../src/lib/workflows/dsr-cancel.ts';
import type { DsrPorts } from '../../../src/lib/workflows/dsr-ports.ts';
import { submitRequest } from '../../../src/lib/workflows/dsr-submit.ts';
import { settle } from '../../../src/lib/workflows/lost-answer.ts';
import { resetPipeline, triggerPipeline, type TriggerPorts } from '../../../src/lib/workflows/pipelines-trigger.ts';
import { deleteSettled } from '../../../src/lib/workflows/resource-write.ts';
import type { Planned } from '../../../src/lib/workflows/roles-plan.ts';
import { replaceSettled } from '../../../src/lib/workflows/roles-replace.ts';
import { failureOf } from '../../helpers/failure.ts';

const ID = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c99';
const lost = (): Promise<never> => Promise.reject(new OutcomeUnknownError({ message: 'lost' }));
const closed = new CliError({ code: 'network.reset', message: 'The connection was closed.', exit: EXIT.network });
const stopped = new CliError({ code: 'interrupted', message: 'Interrupted.', exit: EXIT.interrupted });

let stop: AbortController;
let told: string[];
beforeEach(() => {
  stop = new AbortController();
  told = [];
});

const ports = () => ({
  tell: { note: (text: string) => told.push(text), warn: (text: string) => told.push(text) },
  signal: stop.signal,
  clock: { now: () => 0, sleep: () => Promise.resolve() },
});

/** Each by the command that does it: what it sends is lost, and `read` is the look at the platform afterwards. */
const DEEDS: Record<
  string,
  { open: string; hint: RegExp; run: (read: () => Promise<never>, send: typeof lost) => Promise<unknown> }
> = {
  'roles push': {
    open: 'the manifest was replaced: the answer to the write',
    hint: /roles diff.*revision-1/,
    run: (read, send) => {
      const api = { replace: send, get: read };
      return replaceSettled({} as Planned, 'revision-1', { ...ports(), api } as never);
    },
  },
  'connections delete': {
    open: 'the write of connection x was carried out: its answer',
    hint: /connections get x/,
    run: (read, send) => {
      const rest = { create: lost, update: lost, comparable: (definition: object) => definition };
      const calls = { noun: 'connection', look: 'connections get', get: read, delete: send, ...rest };
      return deleteSettled('x', calls, ports());
    },
  },
  'dsr cancel': {
    open: `request ${ID} was cancelled: the answer`,
    hint: new RegExp(`dsr status ${ID}`),
    run: (read, send) => {
      const plan = { cancel: [{ subject_request_id: ID }], keep: [] };
      const others = { ledger: {}, sender: {} };
      return cancelRequests(plan as never, { ...ports(), ...others, api: { cancel: send, get: read } } as never);
    },
  },
  'dsr submit': {
    open: `the platform has request ${ID}: the answer`,
    hint: new RegExp(`dsr status ${ID}.*--request-id`),
    run: (read, send) => {
      const request = { subject_request_id: ID, regulation: 'gdpr', subject_identities: {} };
      const ledger = { record: () => Promise.resolve() };
      const api = { create: send, get: read };
      return submitRequest(request as DsrRequest, {
        ...({ ...ports(), api, ledger, sender: {} } as unknown as DsrPorts),
        verify: () => Promise.resolve(undefined),
        isNewId: true,
      });
    },
  },
  'pipelines reset': {
    open: 'pipeline x was reset: the answer',
    hint: /pipelines report x/,
    run: (read, send) => resetPipeline('x', { ...ports(), api: { reset: send, report: read } } as never),
  },
  'pipelines trigger': {
    open: 'pipeline x was triggered: the answer',
    hint: /pipelines runs x/,
    run: (read, send) => {
      let looks = 0;
      const api = {
        report: () => Promise.resolve({ status: 'idle' }),
        runs: () => (++looks === 1 ? Promise.resolve({ items: [] }) : read()),
        trigger: send,
      };
      const options = { waitIdle: false, patient: false, pollMs: 1, onState: () => undefined };
      return triggerPipeline('x', options, { ...ports(), api } as unknown as TriggerPorts);
    },
  },
};

describe.each(Object.entries(DEEDS))('%s whose answer was lost', (command, { hint, open, run }) => {
  it('is of an unknown end where nothing can be read, with the way to find out', async () => {
    const error = await failureOf(run(() => Promise.reject(closed), lost));
    expect(error).toMatchObject({
      code: 'http.outcome_unknown',
      exit: EXIT.network,
      hint: expect.stringMatching(hint),
    });
    const place = command === 'pipelines trigger' ? 'the runs' : 'the platform';
    expect(error.message).toBe(
      `It is not known whether ${open} was lost, and ${place} cannot be read: The connection was closed.`,
    );
  });

  it('says the same and ends as Ctrl-C ends it when that comes during the look', async () => {
    const read = (): Promise<never> => {
      stop.abort(stopped);
      return Promise.reject(stopped);
    };
    const error = await failureOf(run(read, lost));
    expect(error).toMatchObject({
      code: 'http.outcome_unknown',
      exit: EXIT.interrupted,
      hint: expect.stringMatching(hint),
    });
    expect(error.message).toBe(`It is not known whether ${open} was lost, and the command was stopped.`);
  });

  it('is not looked into once it was stopped', async () => {
    let looks = 0;
    const error = await failureOf(
      run(
        () => {
          looks++;
          return Promise.reject(closed);
        },
        () => {
          stop.abort(stopped);
          return lost();
        },
      ),
    );
    expect(error).toMatchObject({ exit: EXIT.interrupted, hint: expect.stringMatching(hint) });
    expect(error.message).toMatch(/the command was stopped\.$/);
    expect([looks, told]).toEqual([0, []]);
  });
});

describe('what the platform holds', () => {
  const deed = (verdicts: (string | CliError)[], mostSends = 3) => {
    let sends = 0;
    const result = settle<string, string | CliError>(
      {
        mostSends,
        send: (count) => {
          sends = count;
          return lost();
        },
        read: () => Promise.resolve(verdicts.shift() ?? 'not done'),
        judge: (now) => (now instanceof CliError || now === 'not done' ? (now as 'not done') : { done: now }),
        told: { lost: 'looking', arrived: (done) => `arrived: ${done}`, again: 'again' },
        unknown: (reason) => ({ message: reason, hint: '' }),
      },
      ports(),
    );
    return { result, sends: () => sends };
  };

  it('settles it', async () => {
    const { result, sends } = deed(['not done', 'there']);
    expect([await result, sends(), told]).toEqual(['there', 2, ['looking', 'again', 'looking', 'arrived: there']]);
  });

  it('may be an end of its own', async () => {
    const { result, sends } = deed([closed]);
    expect([await failureOf(result), sends(), told]).toEqual([closed, 1, ['looking']]);
  });

  it.each([1, 3])('lets it go %i times at most', async (most) => {
    const { result, sends } = deed([], most);
    expect(await failureOf(result)).toMatchObject({ code: 'http.outcome_unknown', message: 'lost' });
    expect([sends(), told.filter((text) => text === 'again').length]).toEqual([most, most - 1]);
  });
});
