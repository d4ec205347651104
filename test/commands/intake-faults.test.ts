// `intake event` and `intake identify` while the platform or the network fails: what is sent again, what the exit code
// and the log report, and what the platform has stored.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHurriedClock } from '../helpers/seeding-home.ts';
import { changed, type FaultProxy, PROXY_FAULTS, type ProxyFault, startFaultProxy } from '../helpers/fault-proxy.ts';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';

const BODY = {
  environment: 'development',
  user_identities: { email: 'newcomer@people.example' },
  user_attributes: { tier: 'gold' },
};
const FILES = {
  event: { ...BODY, events: [{ event_type: 'screen_view', data: { event_name: 'home' } }] },
  identify: BODY,
};
type Kind = keyof typeof FILES;

let home: PlatformHome;
let proxy: FaultProxy;
beforeEach(async () => {
  home = await openPlatformHome();
  const base = home.platform.ready.base_url;
  proxy = await startFaultProxy(Number(new URL(base).port));
  for (const [name, value] of Object.entries(home.env)) home.env[name] = value.replace(base, proxy.url);
  home.defaults.clock = createHurriedClock();
  for (const [kind, body] of Object.entries(FILES)) home.write(`${kind}.json`, JSON.stringify(body));
});
afterEach(async () => {
  await proxy.close();
  await home.close();
});

function fault(name: string): ProxyFault {
  const found = PROXY_FAULTS.find((one) => one.name === name);
  if (!found) throw new Error(`unknown fault ${name}`);
  return found;
}
const UNAUTHORIZED = changed('401', false, () => ({ status: 401, body: '{"errors":[]}' }));
const ANOTHER_2XX = changed('204', true, () => ({ status: 204, body: '' }));
const ERROR_DOCUMENT = changed('202 with errors', true, () => ({
  body: '{"errors":[{"code":"BAD_REQUEST","message":"tier: no"}]}',
  headers: { 'content-type': 'application/json' },
}));
const WEB_PAGE = changed('202 with a web page', true, () => ({
  body: '<!doctype html><title>Log in</title>',
  headers: { 'content-type': 'text/html' },
}));

/** Runs the command and returns its exit code, the outcome in the log, and what the platform received and stored. */
async function send(kind: Kind) {
  const { code, error, stderr } = await home.json(`intake ${kind} -f ${kind}.json --yes`);
  const log = await home.json<{ outcome: string; requests: number }[]>('log');
  const [profile] = await home.platform.profiles({ email: 'newcomer@people.example' });
  const stored = profile && { tier: profile.user_attributes['tier'], events: profile.events.length };
  return { code, error, stderr, outcome: log.data[0]?.outcome, sent: proxy.requests.length, stored };
}

const STORED = { event: { tier: 'gold', events: 1 }, identify: { tier: 'gold', events: 0 } };

describe.each(['event', 'identify'] as const)('intake %s', (kind) => {
  it.each([
    ['429 Retry-After 1', fault('429 Retry-After 1')],
    ['429 Retry-After absent', fault('429 Retry-After absent')],
  ])('is sent again after %s', async (_what, once) => {
    await proxy.begin({ fault: once, at: 0, mode: 'once' });
    expect(await send(kind)).toMatchObject({ code: 0, outcome: 'done', sent: 2, stored: STORED[kind] });
  });

  it('reports a rate limit that outlasts the retries', async () => {
    await proxy.begin({ fault: fault('429 Retry-After 1'), at: 0, mode: 'ever' });
    expect(await send(kind)).toMatchObject({ code: 7, outcome: 'rejected', sent: 5, stored: undefined });
  });

  it('reports rejected credentials at once', async () => {
    await proxy.begin({ fault: UNAUTHORIZED, at: 0, mode: 'ever' });
    expect(await send(kind)).toMatchObject({ code: 4, outcome: 'rejected', sent: 1, stored: undefined });
  });

  it('is not accepted until it is confirmed', async () => {
    for (const unclear of [ANOTHER_2XX, ERROR_DOCUMENT, WEB_PAGE, fault('HTML after delivery'), fault('truncated')]) {
      await home.platform.reset();
      await proxy.begin({ fault: unclear, at: 0, mode: 'ever' });
      const run = await send(kind);
      expect([unclear.name, run.code, run.outcome], run.stderr).toEqual([unclear.name, 8, 'unknown']);
    }
  });
});

describe('intake event', () => {
  it.each([
    ['a lost response', 'reset after delivery', STORED.event],
    ['a closed connection', 'closed after delivery', STORED.event],
    ['a lost request', 'reset before delivery', undefined],
    ['503', '503 before delivery', undefined],
    ['503 with Retry-After', '503 Retry-After 1', undefined],
  ])('is not sent again after %s, because the platform would count the events twice', async (_what, name, stored) => {
    await proxy.begin({ fault: fault(name), at: 0, mode: 'once' });
    expect(await send('event')).toMatchObject({ code: 8, outcome: 'unknown', sent: 1, stored });
  });
});

describe('intake identify', () => {
  it.each(['reset after delivery', 'reset before delivery', '503 before delivery', '503 after delivery'])(
    'is sent again after %s, because a repetition changes nothing',
    async (name) => {
      await proxy.begin({ fault: fault(name), at: 0, mode: 'once' });
      expect(await send('identify')).toMatchObject({ code: 0, outcome: 'done', sent: 2, stored: STORED.identify });
    },
  );

  it.each([
    ['every response is lost', 'reset after delivery', 8, STORED.identify],
    ['the platform stays unavailable', '503 before delivery', 7, undefined],
  ])('fails if %s', async (_what, name, code, stored) => {
    await proxy.begin({ fault: fault(name), at: 0, mode: 'ever' });
    expect(await send('identify')).toMatchObject({ code, sent: 5, stored });
  });
});

it.each(['intake event', 'intake identify', 'seed set'])(
  '`%s` rejects a body with both names of an identity type',
  async (line) => {
    const { base_url: url } = home.platform.ready;
    await home.run(`profile create named --base-url ${url} --seeding-url ${url} --identity-url ${url} --yes`);
    await home.run('profile edit named --set names.customer_id=custid');
    const identities = { customer_id: 'a', custid: 'b' };
    home.write('both.json', JSON.stringify({ ...BODY, user_identities: identities, identities }));
    const { code, error } = await home.json(`${line} -f both.json --profile named --yes`);
    expect([code, error.code, error.issues[0]?.path]).toEqual([9, 'input.invalid', 'customer_id']);
    expect(await home.writes()).toEqual([]);
  },
);

it.each([
  ['intake event', 'user_identities'],
  ['intake identify', 'user_identities'],
  ['seed set', 'identities'],
])('`%s` warns about invisible characters in an identity', async (line, field) => {
  const identities = { email: 'newcomer@people.example\u200b', customer_id: 'a' };
  const body = { environment: 'development', xpid: 7, [field]: identities };
  home.write('hidden.json', JSON.stringify(line === 'seed set' ? { ...body, calculated_attributes: {} } : body));
  const { code, stderr } = await home.run(`${line} -f hidden.json --dry-run`);
  expect([code, stderr.match(/invisible/g)]).toEqual([0, ['invisible']]);
  expect(stderr).toMatch(/hidden\.json:1:\d+: (?:user_)?identities\.email: contains invisible characters/);
});
