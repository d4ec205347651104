// Recognizes a mask in every form.
import { expect, test } from 'vitest';
import { isMask } from '../../../../src/lib/contract/masks.ts';

test.each<[unknown]>([['*'], ['********'], [' *** '], ['"****"'], ['* * *'], ['••••'], ['＊＊']])(
  'recognizes %j as a mask',
  (value) => {
    expect(isMask(value)).toBe(true);
  },
);

test.each<[unknown]>([[''], ['""'], ['p*ss'], ['***x'], [undefined], [8], [['*']]])(
  'does not mistake %j for a mask',
  (value) => {
    expect(isMask(value)).toBe(false);
  },
);
