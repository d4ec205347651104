// Colors of the statuses of requests.
import { expect, it } from 'vitest';
import type { RequestOverview } from '../../../../src/lib/domain/dsr/overview.ts';
import { statusLine } from '../../../../src/lib/render/dsr-overview.ts';
import { plainStyle } from '../../../../src/lib/render/style.ts';

it.each(['cancelled', 'rejected', 'refused', 'not_submitted'])('dims the status %s', (status) => {
  const request = { subject_request_id: 'x', request_status: status } as RequestOverview;
  const style = { ...plainStyle, dim: (text: string) => `(${text})` };
  expect(statusLine(request, style)).toBe(`x  (${status})`);
});
