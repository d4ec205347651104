// An outbox yields the same pending deliveries and received statuses before and after compaction.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compactLines,
  emptyOutbox,
  eventId,
  isFirst,
  isRepeat,
  type OutboxLine,
  type OutboxState,
  type OutcomeLine,
  readLine,
  takeLine,
} from '../../../../../src/lib/domain/callbacks/outbox.ts';
import { runs } from '../../../../helpers/size.ts';
import { AT, received, REQUEST } from './received.ts';

const NOW = Date.parse(AT);
const DAY = 86_400_000;

function stateOf(...lines: unknown[]): OutboxState {
  const state = emptyOutbox();
  for (const line of lines) takeLine(state, typeof line === 'string' ? line : JSON.stringify(line));
  return state;
}

const outcome = (event: OutcomeLine['event'], id: string, target: string, attempts = 1): OutcomeLine => ({
  event,
  id,
  target,
  at: AT,
  attempts,
  ...(event === 'failed' && { due: AT }),
  ...(['failed', 'dead'].includes(event) && { reason: 'exit 1' }),
});

/** Returns the part of the state that a listener uses: pending deliveries in order, and received statuses. */
function summaryOf({ open, seen }: OutboxState) {
  return {
    open: [...open.values()].map(({ attempts, callback, id, isDead, reason }) => [
      id,
      attempts,
      isDead,
      reason,
      callback.body,
    ]),
    seen: [...seen].map(([id, { events, statuses }]) => [id, statuses, [...events].sort()]).sort(),
  };
}

describe('an event id', () => {
  it('depends only on the bytes, the workspace and the address', () => {
    const body = Buffer.from('{"a":1}');
    const id = eventId('https://a.example', '1', body);
    expect(id).toMatch(/^[0-9a-f]{20}$/);
    expect(eventId('https://a.example', '1', Buffer.from('{"a":1}'))).toBe(id);
    const others = [
      eventId('https://b.example', '1', body),
      eventId('https://a.example', '2', body),
      eventId('https://a.example', undefined, body),
      eventId('https://a.example', '1', Buffer.from('{"a":1} ')),
    ];
    expect(new Set([id, ...others]).size).toBe(5);
  });
});

describe('a callback', () => {
  it.each([
    [['pending'], 'in_progress'],
    [[], 'completed'],
    [['pending'], 'reviewed'],
    [['reviewed'], 'archived'],
  ])('reports a new status after %j: %s', (before, status) => {
    const state = stateOf(...before.map((word) => received(word)));
    expect(isFirst(state, received(status))).toBe(true);
  });

  it.each([
    [['pending'], 'pending'],
    [['pending', 'in_progress'], 'pending'],
    [['completed'], 'pending'],
    [['completed'], 'cancelled'],
    [['reviewed', 'archived'], 'reviewed'],
    [[], null],
  ])('does not report a new status after %j: %s', (before, status) => {
    const state = stateOf(...before.map((word) => received(word)));
    const callback = { ...received(status ?? 'none'), status };
    expect(isFirst(state, callback)).toBe(false);
  });

  it('is a repeat only if the same bytes were received earlier', () => {
    const state = stateOf(received('pending'));
    expect(isRepeat(state, received('pending'))).toBe(true);
    expect(isRepeat(state, { ...received('pending'), id: 'other' })).toBe(false);
    expect(isRepeat(state, { ...received('pending'), request_id: 'other' })).toBe(false);
  });

  it('creates its deliveries only once, even if its line is read again', () => {
    const line = received('pending', ['forward', 'on-any']);
    const state = stateOf(line, outcome('delivered', line.id, 'forward'), line);
    expect([...state.open.keys()]).toEqual([`${line.id}.on-any`]);
  });
});

describe('an outcome', () => {
  const line = received('pending', ['forward', 'on-any']);

  it.each<[OutcomeLine['event'], object | undefined]>([
    ['delivered', undefined],
    ['dropped', undefined],
    ['failed', { isDead: false, attempts: 3, dueAt: NOW, reason: 'exit 1' }],
    ['dead', { isDead: true, attempts: 3, reason: 'exit 1' }],
    ['replayed', { isDead: false, attempts: 3, dueAt: 0 }],
  ])('changes only its own delivery: %s', (event, after) => {
    const { open } = stateOf(line, outcome(event, line.id, 'forward', 3));
    expect(open.get(`${line.id}.on-any`)).toMatchObject({ isDead: false, attempts: 0, dueAt: 0, reason: null });
    if (after === undefined) expect(open.has(`${line.id}.forward`)).toBe(false);
    else expect(open.get(`${line.id}.forward`)).toMatchObject(after);
  });

  it('does not change anything if its delivery is unknown', () => {
    expect(summaryOf(stateOf(line, outcome('dead', 'other', 'forward')))).toEqual(summaryOf(stateOf(line)));
  });
});

describe('outbox lines', () => {
  const STATUSES = ['pending', 'in_progress', 'completed'];
  const anyLine = fc.oneof(
    fc
      .tuple(
        fc.constantFrom(...STATUSES),
        fc.constantFrom('r1', 'r2'),
        fc.subarray(['forward', 'on-any', 'on-completed']),
      )
      .map(([status, request, targets]) => ({
        ...received(status, targets),
        id: `${status}-${request}`,
        request_id: request,
      })),
    fc
      .tuple(
        fc.constantFrom<OutcomeLine['event']>('delivered', 'failed', 'dead', 'replayed', 'dropped'),
        fc.constantFrom(...STATUSES.flatMap((status) => [`${status}-r1`, `${status}-r2`])),
        fc.constantFrom('forward', 'on-any', 'on-completed'),
        fc.integer({ min: 1, max: 12 }),
      )
      .map(([event, id, target, attempts]) => outcome(event, id, target, event === 'replayed' ? 0 : attempts)),
  );

  it('result in the same state after compaction', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 40 }), fc.array(anyLine, { maxLength: 10 }), (before, after) => {
        const state = stateOf(...before);
        const compact = compactLines(state, NOW);
        const again = stateOf(...compact);
        expect(summaryOf(again)).toEqual(summaryOf(state));
        expect(compactLines(again, NOW)).toHaveLength(compact.length);
        expect(summaryOf(stateOf(...compact, ...after))).toEqual(summaryOf(stateOf(...before, ...after)));
      }),
      runs(1000),
    );
  });

  it("are kept for 90 days after a request's last callback, and longer if a delivery is pending", () => {
    const done = received('pending');
    const open = { ...received('pending', ['forward']), request_id: 'open' };
    const state = stateOf(done, open);
    expect(summaryOf(stateOf(...compactLines(state, NOW + 90 * DAY))).seen).toHaveLength(2);
    expect(summaryOf(stateOf(...compactLines(state, NOW + 91 * DAY))).seen.map(([id]) => id)).toEqual(['3001 open']);
  });

  it('are kept unchanged if a newer program version wrote them', () => {
    const newer = { event: 'paused', id: 'a', at: AT, until: AT };
    expect(compactLines(stateOf(newer, received('pending')), NOW)[0]).toBe(JSON.stringify(newer));
  });

  it('are ignored without an error if they are damaged', () => {
    const line = received('pending', ['forward']);
    const good: OutboxLine[] = [
      line,
      outcome('failed', line.id, 'forward'),
      { event: 'seen', id: `3001 ${REQUEST}`, at: AT, statuses: ['pending'], events: [line.id] },
    ];
    for (const one of good) expect(readLine(JSON.stringify(one))).toEqual(one);
    const invalid = [null, 7, {}, [null], [['a']], '__proto__', '', undefined];
    for (const one of good) {
      for (const key of Object.keys(one)) {
        for (const value of invalid) {
          const state = stateOf(line, { ...one, [key]: value });
          expect(() => compactLines(state, NOW)).not.toThrow();
        }
      }
    }
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (value) => {
        const state = stateOf(value);
        expect([state.open.size, state.seen.size]).toEqual([0, 0]);
      }),
      runs(500),
    );
  });
});
