// A callback's checks, as shown in a terminal.
import { expect, test } from 'vitest';
import { plainStyle } from '../../../../src/lib/render/style.ts';
import { verdictView } from '../../../../src/commands/dsr/callbacks-verify.ts';

test("wraps a check's detail at word boundaries and aligns the lines", () => {
  const detail = 'for opendsr.platform.example, trusted, valid until 2049-12-31T23:59:59.000Z';
  const verdict = { valid: true, checks: [{ name: 'certificate', ok: true, detail }] } as const;
  expect(verdictView.text({ ...verdict, checks: [...verdict.checks] }, plainStyle, 80)).toBe(
    [
      'ok      certificate          for opendsr.platform.example, trusted, valid until',
      '                             2049-12-31T23:59:59.000Z',
      'The callback is valid.',
    ].join('\n'),
  );
});
