// A failure that is told anew on its way up: what nobody says otherwise stays.
import { expect, it } from 'vitest';
import { KnownError, type KnownErrorOptions } from '../../../../src/lib/kernel/errors.ts';

const WHOLE: KnownErrorOptions = {
  code: 'http.refused',
  message: 'The platform refused it.',
  hint: ['First this.', 'Then that.'],
  status: 422,
  request: { id: '1', method: 'PUT', path: '/x' },
  issues: [{ path: 'a', message: 'is wrong' }],
  details: { cause: 'x' },
};

/** All that is told of a failure. */
const toldOf = ({ code, details, hint, hints, issues, message, request, status }: KnownError): object => {
  return { code, details, hint, hints, issues, message, request, status };
};

it('keeps everything of itself, and has the failure of before as its cause', () => {
  for (const options of [WHOLE, { code: 'a.b', message: 'No.' }]) {
    const failure = new KnownError(options);
    const again = failure.with({});
    expect(toldOf(again)).toStrictEqual(toldOf(failure));
    expect(again.cause).toBe(failure);
  }
});

it('has what is said anew in the place of its own', () => {
  const failure = new KnownError(WHOLE);
  expect(toldOf(failure.with({ hint: 'Only this.' }))).toStrictEqual({
    ...toldOf(failure),
    hint: 'Only this.',
    hints: [{ text: 'Only this.' }],
  });
  expect(toldOf(failure.with({ message: 'Step 2 failed.', details: { done: [] } }))).toStrictEqual({
    ...toldOf(failure),
    message: 'Step 2 failed.',
    details: { done: [] },
  });
});
