// A copy of an error keeps every property that is not replaced.
import { expect, it } from 'vitest';
import { KnownError, type KnownErrorOptions } from '../../../../src/lib/kernel/errors.ts';

const COMPLETE: KnownErrorOptions = {
  code: 'http.refused',
  message: 'The platform rejected it.',
  hint: ['First this.', 'Then that.'],
  status: 422,
  request: { id: '1', method: 'PUT', path: '/x' },
  issues: [{ path: 'a', message: 'is wrong' }],
  details: { cause: 'x' },
};

/** Returns the properties of an error that are shown to users. */
const propertiesOf = ({ code, details, hint, hints, issues, message, request, status }: KnownError): object => {
  return { code, details, hint, hints, issues, message, request, status };
};

it('copies every property of an error and uses the original as the cause', () => {
  for (const options of [COMPLETE, { code: 'a.b', message: 'No.' }]) {
    const failure = new KnownError(options);
    const copy = failure.with({});
    expect(propertiesOf(copy)).toStrictEqual(propertiesOf(failure));
    expect(copy.cause).toBe(failure);
  }
});

it('replaces the given properties', () => {
  const failure = new KnownError(COMPLETE);
  expect(propertiesOf(failure.with({ hint: 'Only this.' }))).toStrictEqual({
    ...propertiesOf(failure),
    hint: 'Only this.',
    hints: [{ text: 'Only this.' }],
  });
  expect(propertiesOf(failure.with({ message: 'Step 2 failed.', details: { done: [] } }))).toStrictEqual({
    ...propertiesOf(failure),
    message: 'Step 2 failed.',
    details: { done: [] },
  });
});
