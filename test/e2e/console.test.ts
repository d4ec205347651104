// The console of the embedded platform in a real browser; skipped if Chromium is not installed.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CHROMIUM, openBrowser, type Page } from '../helpers/browser.ts';
import { startCallbackReceiver } from '../helpers/callback-receiver.ts';
import { dsrBody, dsrCaller, raw } from '../helpers/dsr.ts';
import { basicAuth, send, startTestEmulator, type TestEmulator } from '../helpers/emulator.ts';
import { opened } from '../helpers/opened.ts';
import { LEAST_CONTRAST, SIDEWAYS } from '../helpers/page-look.ts';
import { PATIENT } from '../helpers/patient.ts';

const TABS = ['roles', 'groups', 'warehouse', 'requests', 'people', 'callbacks', 'log', 'faults'];
const HOSTILE = `<img src="http://127.0.0.1:9/x" onerror="document.title='forged'">`;

let platform: TestEmulator;
beforeEach(async () => {
  platform = await opened(startTestEmulator());
});

/** Sends a sample person's attributes to the intake. */
function identify(attributes: Record<string, unknown>) {
  const { identity_url, workspace_key, workspace_secret } = platform.ready;
  return send('POST', `${identity_url}/v1/identify`, {
    body: {
      environment: 'production',
      user_identities: { email: 'ada@people.example' },
      user_attributes: attributes,
    },
    headers: basicAuth(`${workspace_key}:${workspace_secret}`),
  });
}

describe.skipIf(CHROMIUM === undefined)('the console in Chromium (skipped if Chromium is not installed)', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  const text = (page: Page) => page.evaluate<string>('document.body.innerText');
  const waitFor = (page: Page, wanted: string | RegExp) =>
    vi.waitFor(async () => expect(await text(page)).toMatch(wanted), PATIENT);
  const click = (page: Page, id: string) =>
    vi.waitFor(() => page.evaluate(`document.getElementById('${id}').click()`), PATIENT);

  /** Opens a tab and waits until it is rendered. */
  async function open(tab: string): Promise<Page> {
    const page = await browser.open(`${platform.control}/ui#${tab}`);
    await vi.waitFor(
      async () => expect(await page.evaluate("document.querySelector('main').childElementCount")).toBeGreaterThan(0),
      PATIENT,
    );
    return page;
  }

  async function show(page: Page, tab: string): Promise<void> {
    await page.evaluate(`location.hash = '${tab}'`);
    const isCurrent = `document.getElementById('tab-${tab}').getAttribute('aria-current')`;
    await vi.waitFor(async () => expect(await page.evaluate(isCurrent)).toBe('page'), PATIENT);
  }

  it('shows the state, loads nothing from other addresses and does not violate the content security policy', async () => {
    const page = await open('roles');
    const shown = {
      roles: 'support-role',
      groups: 'household_id',
      warehouse: 'sample-sync',
      people: 'ada@people.example',
    };
    for (const tab of TABS) {
      await show(page, tab);
      expect(await text(page)).toContain((shown as Record<string, string>)[tab] ?? '');
    }
    expect(page.complaints).toEqual([]);
    expect(page.requests.filter((url) => !url.startsWith(platform.control) && url !== 'data:,')).toEqual([]);
  });

  it('shows where the attributes and seeds of a person came from', async () => {
    await identify({ plan: 'plus' });
    const page = await open('people');
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    expect(await text(page)).toMatch(/plan\s+attribute\s+plus\s+intake, 20/);
    expect(await text(page)).toMatch(/purchases\s+seed\s+.*12.*\s+fixtures, 20/);
  });

  it("shows the deployment's names", async () => {
    platform = await opened(startTestEmulator({ names: { xpid: 'member_id', email: 'mail', PROVIDER_D: 'lake' } }));
    await dsrCaller(platform)('POST', '/requests/', {
      body: dsrBody({ subject_identities: { mail: raw('a@b.example') } }),
    });
    const shown = { people: 'mail: ada@people.example', requests: 'mail: a@b.example', warehouse: 'lake' };
    for (const [tab, wanted] of Object.entries(shown)) {
      const page = await open(tab);
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      expect(await text(page)).toContain(wanted);
      expect(await text(page)).not.toMatch(/xpid|email:|PROVIDER_D/);
    }
  });

  it('shows untrusted text as plain text', async () => {
    const body = dsrBody({ subject_identities: { email: raw(HOSTILE) }, group_id: HOSTILE });
    await dsrCaller(platform)('POST', '/requests/', { body });
    const page = await open('requests');
    expect(await text(page)).toContain(HOSTILE);
    expect(await page.evaluate('[document.title, document.images.length]')).toEqual([
      'Requests · Embedded platform',
      0,
    ]);
  });

  it('escapes characters that reorder or hide text', async () => {
    expect((await identify({ plan: 'a\u202Egnp.exe\u0007' })).status).toBe(202);
    const page = await open('people');
    for (const tab of ['people', 'log']) {
      await show(page, tab);
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      await waitFor(page, /a\\u\{202E\}gnp\.exe\\u/);
      expect(await text(page)).not.toMatch(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u);
    }
  });

  it('opens the first tab if the requested tab is unknown', async () => {
    for (const unknown of ['nope', 'toString', '__proto__']) {
      const page = await open(unknown);
      expect(await text(page)).toContain('support-role');
      expect(page.complaints).toEqual([]);
    }
  });

  it('reports that a table shows only the newest rows', async () => {
    const assign = (user: number) => platform.api.assignRole('support-role', `${user}@people.example`);
    for (let user = 1; user < 200; user++) await assign(user);
    expect(await text(await open('roles'))).not.toContain('Only the newest');
    await assign(200);
    expect(await text(await open('roles'))).toContain('Only the newest 200 are shown.');
  });

  it('shows new requests as they arrive, with bodies and masked credentials', async () => {
    const page = await open('log');
    await waitFor(page, 'No requests yet.');
    const body = dsrBody();
    await dsrCaller(platform)('POST', '/requests/', { body });
    await waitFor(page, '/v3/requests/');
    await page.evaluate("document.querySelector('details').open = true");
    expect(await text(page)).toContain(body.subject_request_id);
    expect(await text(page)).not.toContain(platform.ready.workspace_secret);
    expect(await text(page)).toMatch(/"authorization": ".*\*\*\*/);
  });

  it('advances the clock and shows what is due next', async () => {
    const page = await open('requests');
    const before = Date.parse(await platform.api.now());
    await page.evaluate(`document.querySelector('[data-advance="7d"]').click()`);
    await vi.waitFor(async () => {
      expect(Date.parse(await platform.api.now()) - before).toBeGreaterThanOrEqual(7 * 86_400_000);
    }, PATIENT);
    await waitFor(page, /\(real clock, \+7d\)[^]*Next: group refresh, \d{4}-/);
  });

  it('adds and removes faults, and reports an invalid one', async () => {
    const page = await open('faults');
    await page.evaluate(
      "document.getElementById('fault-path').value = '/v3/*'; document.getElementById('fault-times').value = '0'",
    );
    await click(page, 'fault-add');
    await waitFor(page, /Bad request/);
    await page.evaluate(
      "document.getElementById('fault-times').value = '2'; document.getElementById('fault-status').value = '503'",
    );
    await click(page, 'fault-add');
    await waitFor(page, '"status":503');
    expect(await platform.api.faults()).toMatchObject([{ path: '/v3/*', status: 503, times: 2 }]);
    await click(page, 'fault-clear');
    await waitFor(page, 'No fault');
    expect(await platform.api.faults()).toEqual([]);
  });

  it('shows why a change was rejected until the next successful change or a switch to another tab', async () => {
    const page = await open('faults');
    const problem = () => page.evaluate<string>("document.getElementById('problem').innerText");
    const redrawn = async (path: string) => {
      await platform.api.addFault({ path, status: 500 });
      await waitFor(page, path);
    };
    const type = (name: string, value: string) =>
      page.evaluate(`document.getElementById('fault-${name}').value = '${value}'`);
    await type('status', 'abc');
    await click(page, 'fault-add');
    await waitFor(page, /Bad request: status .*number/);
    await redrawn('/first');
    expect(await problem()).toMatch(/status .*number/);
    await type('status', '500');
    await click(page, 'fault-add');
    await vi.waitFor(async () => expect(await problem()).toBe(''), PATIENT);
    await type('drop', 'never');
    await click(page, 'fault-add');
    await waitFor(page, /Bad request: drop/);
    await show(page, 'roles');
    expect(await problem()).toBe('');
  });

  it('removes a single fault', async () => {
    for (const path of ['/a', '/b', '/c']) await platform.api.addFault({ path, status: 503, retry_after: 2 });
    const page = await open('faults');
    await click(page, 'fault-remove-1');
    await vi.waitFor(
      async () => expect((await platform.api.faults()).map(({ path }) => path)).toEqual(['/a', '/c']),
      PATIENT,
    );
  });

  it('sends a callback again and shows its four checks', async () => {
    const receiver = await opened(startCallbackReceiver());
    const body = dsrBody({ status_callback_urls: [receiver.url] });
    await dsrCaller(platform)('POST', '/requests/', { body });
    await platform.api.flushCallbacks();
    const count = receiver.received.length;
    const page = await open('callbacks');
    await click(page, 'resend-1');
    await vi.waitFor(() => expect(receiver.received.length).toBe(count + 1), PATIENT);
    // The platform's clock may add another callback in the meantime.
    await page.evaluate("document.getElementById('check-1').closest('details').open = true");
    await click(page, 'check-1');
    await waitFor(page, /signature: valid for the body/);
    expect(await page.evaluate("document.querySelectorAll('li.good').length")).toBe(4);
  });

  it('works with the keyboard only', async () => {
    const page = await open('roles');
    const focused = () => page.evaluate<string>('document.activeElement.id');
    for (let steps = 0; steps < 20 && (await focused()) !== 'tab-people'; steps++) await page.press('Tab');
    expect(await focused()).toBe('tab-people');
    await page.press('Enter');
    await waitFor(page, 'ada@people.example');
    expect(await focused()).toBe('tab-people');
  });

  it('preserves focus, open sections and scroll position when the state changes', async () => {
    const page = await open('people');
    await page.evaluate(`
      const box = document.querySelector('details .scroll');
      const fold = box.closest('details');
      fold.open = true;
      fold.querySelector('summary').focus();
      globalThis.drawn = fold;
    `);
    const summary = await page.evaluate<string>('document.activeElement.id');
    await identify({ plan: 'x' });
    const isRedrawn = () =>
      vi.waitFor(async () => expect(await page.evaluate('drawn.isConnected')).toBe(false), PATIENT);
    await isRedrawn();
    expect(summary).not.toBe('');
    expect(await page.evaluate('[document.activeElement.id, document.activeElement.parentElement.open]')).toEqual([
      summary,
      true,
    ]);
    await show(page, 'roles');
    await page.size(320, 700);
    await page.evaluate(`
      const box = document.querySelector('.scroll');
      box.scrollLeft = 40;
      box.focus();
      globalThis.drawn = box;
    `);
    await identify({ plan: 'y' });
    await isRedrawn();
    expect(await page.evaluate('[document.activeElement.className, document.activeElement.scrollLeft]')).toEqual([
      'scroll',
      40,
    ]);
  });

  it('gives every focusable element a unique id, and focuses the view when the focused element disappears', async () => {
    await platform.api.addFault({ status: 503 });
    await dsrCaller(platform)('POST', '/requests/', {
      body: dsrBody({ status_callback_urls: ['https://127.0.0.1:9'] }),
    });
    const page = await open('roles');
    for (const tab of TABS) {
      await show(page, tab);
      const ids = await page.evaluate<string[]>(
        `[...document.querySelectorAll('main :is(a, button, input, summary, [tabindex])')].map(({ id }) => id)`,
      );
      expect(ids, tab).not.toContain('');
      expect(new Set(ids).size, tab).toBe(ids.length);
    }
    await page.evaluate("document.getElementById('fault-clear').focus()");
    await page.press('Enter');
    await waitFor(page, 'No fault');
    expect(await page.evaluate('document.activeElement.id')).toBe('view');
  });

  it('shows the status and errors of warehouse resources and runs', async () => {
    const call = (method: string, path: string, body?: unknown) =>
      platform.call(method, `/platform/v2/workspaces/3002${path}`, { body });
    const config = { sql_query: 'SELECT nothing_here FROM sample.shop.customers' };
    const model = { id: 'sample-customers', name: 'Customers', state: 'active', type: 'sql', config };
    expect((await call('PUT', '/data-models/sample-customers', model)).status).toBe(200);
    const page = await open('warehouse');
    expect(await text(page)).toMatch(/sample-sync\s+3002\s+active\s+idle/);
    expect(await text(page)).toMatch(/sample-warehouse\s+3002\s+active\s+healthy/);
    expect((await call('POST', '/inputs/data-pipelines/trigger', { pipeline_id: 'sample-sync' })).status).toBe(200);
    await platform.api.advance('1h');
    await waitFor(page, /sample-customers\s+3002\s+active\s+invalid\s+Customers\s+.*nothing_here/);
    await waitFor(page, /sample-sync\s+3002\s+active\s+faulted/);
    await waitFor(page, /1\s+sample-sync\s+failed\s+manual\s[^]*nothing_here/);
  });

  it('shows when a request was received, when its status changed, and the identities in its extensions', async () => {
    const extensions = { 'opendsr.platform.example': { subject_identities: { other: raw('m-77') } } };
    const body = dsrBody({ extensions, subject_identities: undefined });
    await dsrCaller(platform)('POST', '/requests/', { body });
    const received = Date.parse(await platform.api.now());
    await platform.api.advance('3d');
    const page = await open('requests');
    await page.evaluate("document.querySelector('details').open = true");
    expect(await text(page)).toContain('other: m-77');
    const lines = await page.evaluate<string[]>("[...document.querySelectorAll('li')].map((one) => one.innerText)");
    expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
      'submitted',
      'received, pending',
      'in_progress',
      'completed',
    ]);
    const times = lines.map((line) => Date.parse(line.split(' ')[0] ?? ''));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Math.abs((times[1] ?? 0) - received)).toBeLessThan(60_000);
  });

  it.each([
    ['light', 1200],
    ['dark', 320],
  ] as const)(
    'is readable in %s mode at a width of %i pixels, with a contrast of at least 4.5 and no horizontal scrolling',
    async (scheme, width) => {
      const page = await open('roles');
      await page.media({ scheme });
      await page.size(width, 700);
      for (const tab of TABS) {
        await show(page, tab);
        const least = await page.evaluate<{ ratio: number }>(LEAST_CONTRAST);
        expect(least.ratio, `${tab}: ${JSON.stringify(least)}`).toBeGreaterThanOrEqual(4.5);
        expect(await page.evaluate(SIDEWAYS), tab).toBe(0);
      }
    },
  );
});

it('serves the console with a strict content security policy, only to this machine and not to other pages', async () => {
  const { headers, status } = await send('GET', `${platform.control}/ui`);
  expect(status).toBe(200);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(
    (await send('GET', `${platform.control}/ui/state`, { headers: { origin: 'http://evil.example' } })).status,
  ).toBe(403);
  expect((await send('GET', `${platform.control}/ui`, { headers: { host: 'evil.example' } })).status).toBe(403);
});

it('masks warehouse secrets in the console', async () => {
  const path = `/platform/v2/workspaces/${platform.ready.workspace_id}/connections`;
  const password = 'a-password-of-the-warehouse';
  const config = { database: 'd', user: 'u', password, cloud_iam_role_arn: 'cluster-role', host: 'h.example' };
  const body = { id: 'cluster', name: 'Cluster', state: 'active', service_provider: 'PROVIDER_C', config };
  expect((await platform.call('POST', path, { body })).status).toBe(200);
  const { text } = await send('GET', `${platform.control}/ui/state`);
  const clock = expect.stringMatching(/^real clock/) as unknown;
  expect(JSON.parse(text)).toMatchObject({ counts: { profiles: 4 }, faults: [], clock });
  expect(text).toContain('cluster-role');
  expect(text).not.toContain(password);
  expect(text).not.toContain(platform.ready.client_secret);
});
