// If a response reports that a service is near its rate limit, requests to that service slow down for a second.
import { describe, expect, it } from 'vitest';
import { createPace, nearsLimit } from '../../../../src/lib/http/limits/budget.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { never } from './setup.ts';

const HEADER = 'x-vendor-rate-limit-percentage-used';

function pacer() {
  const clock = createTestClock();
  const decisions: string[] = [];
  const pace = createPace({ clock, onDecision: (text) => decisions.push(text) });
  return { clock, decisions, ...pace };
}

describe('nearsLimit', () => {
  it.each(['90', '93%', '100'])('reports the header value %j', (value) => {
    expect(nearsLimit({ 'content-type': 'x', [HEADER]: value })).toEqual([HEADER, value]);
  });

  it.each(['89.9', 'a lot', ''])('does not report the header value %j', (value) => {
    expect(nearsLimit({ 'content-type': 'x', [HEADER]: value })).toBeUndefined();
  });

  it('ignores other headers', () => {
    expect(nearsLimit({})).toBeUndefined();
    expect(nearsLimit({ 'x-rate-limit-percentage-used-by-others': '99', age: '99' })).toBeUndefined();
  });
});

describe('createPace', () => {
  it('waits one second after a response that reports that the limit is near, and reports the slowdown', async () => {
    const { clock, decisions, learn, wait } = pacer();
    learn('dsr', { [HEADER]: '95' });
    expect(decisions).toEqual([`slowing down: ${HEADER} is 95`]);
    clock.advance(400);
    await wait('dsr', never);
    await wait('dsr', never);
    expect(clock.sleeps).toEqual([600]);
  });

  it('does not affect other services, and ignores responses that do not report that the limit is near', async () => {
    const { clock, decisions, learn, wait } = pacer();
    learn('dsr', { [HEADER]: '95' });
    learn('base', { [HEADER]: '10' });
    await wait('base', never);
    expect(clock.sleeps).toEqual([]);
    expect(decisions).toHaveLength(1);
  });

  it.each([-3_600_000, 3_600_000])('waits for a second even if the clock is set by %d ms meanwhile', async (ms) => {
    const { clock, learn, wait } = pacer();
    learn('dsr', { [HEADER]: '95' });
    clock.set(ms);
    await wait('dsr', never);
    expect(clock.sleeps).toEqual([1000]);
  });

  it('stops waiting when it is aborted', async () => {
    const { learn, wait } = pacer();
    learn('dsr', { [HEADER]: '95' });
    await expect(wait('dsr', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
