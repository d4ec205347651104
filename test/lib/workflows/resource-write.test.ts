// A write whose answer was lost and which cannot be looked up: nobody knows, and the exit code says what ended the look.
import { describe, expect, it } from 'vitest';
import { OutcomeUnknownError } from '../../../src/lib/http/outcome-unknown.ts';
import { CliError, EXIT } from '../../../src/lib/kernel/errors.ts';
import { deleteSettled, type ResourceCalls } from '../../../src/lib/workflows/resource-write.ts';
import { failureOf } from '../../helpers/failure.ts';

const lost = new OutcomeUnknownError({ message: 'It is not known whether it was carried out.' });
const refused = (): Promise<never> => Promise.reject(new Error('not asked for'));

/** Deletes `x`, whose answer is lost; `read` is the look at it afterwards. */
function deleted(read: () => Promise<never>, signal: AbortSignal): Promise<Error> {
  const calls: ResourceCalls<object, object> = {
    noun: 'connection',
    look: 'connections get',
    get: read,
    create: refused,
    update: refused,
    delete: () => Promise.reject(lost),
    comparable: (definition) => definition,
  };
  const tell = { note: () => undefined, warn: () => undefined };
  return failureOf(deleteSettled('x', calls, { tell, signal }));
}

describe('a write whose answer was lost', () => {
  it('is of an unknown end where the platform cannot be read', async () => {
    const signal = new AbortController().signal;
    const closed = new CliError({ code: 'network.reset', message: 'The connection was closed.', exit: EXIT.network });
    expect(await deleted(() => Promise.reject(closed), signal)).toMatchObject({
      code: 'http.outcome_unknown',
      exit: EXIT.network,
      message:
        'It is not known whether the write of connection x was carried out: its answer was lost, and the platform cannot be read: The connection was closed.',
      hint: 'Look with `cdpadm connections get x` before you repeat the command.',
    });
  });

  it('ends as Ctrl-C ends it when that comes while it is looked into', async () => {
    const stop = new AbortController();
    const reason = new CliError({ code: 'interrupted', message: 'Interrupted.', exit: EXIT.interrupted });
    const read = (): Promise<never> => {
      stop.abort(reason);
      return Promise.reject(reason);
    };
    expect(await deleted(read, stop.signal)).toMatchObject({
      code: 'http.outcome_unknown',
      exit: EXIT.interrupted,
      message:
        'It is not known whether the write of connection x was carried out: its answer was lost, and the command was stopped.',
    });
  });
});
