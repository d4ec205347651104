// Counts and times the retries of data subject requests on a fast clock.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/lib/kernel/clock.ts';
import { type CliHome, type CliResult, createCliHome, runCli } from '../helpers/cli.ts';
import { createFastClock } from '../helpers/fast-clock.ts';
import { listenOnLoopback } from '../helpers/loopback.ts';
import { sample } from '../helpers/size.ts';

/** An hour on this clock takes less than two seconds of real time. */
const SPEED_UP = 2000;
const MINUTE = 60_000;

interface Arrival {
  method: string;
  id: string;
  email: string;
  at: number;
}
/** Undefined for a normal response, `drop` for no response. */
type Fault = { status: number; retryAfter?: string } | 'drop' | undefined;

let home: CliHome;
let clock: Clock;
let server: Server;
let arrivals: Arrival[];
/** Selects the fault for a request; `before` is the number of earlier requests. */
let faultOf: (arrival: Arrival, before: number) => Fault;
let address: string;

beforeEach(async () => {
  home = createCliHome();
  clock = createFastClock(SPEED_UP);
  arrivals = [];
  faultOf = () => undefined;
  const there = new Set<string>();
  server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const { method = '', url = '' } = request;
      if (!url.startsWith('/v3/requests')) {
        response.writeHead(404).end();
        return;
      }
      const body = (text === '' ? {} : JSON.parse(text)) as {
        subject_request_id?: string;
        subject_identities?: { email?: { value: string } };
      };
      const id = body.subject_request_id ?? url.split('/')[3] ?? '';
      const arrival = { method, id, email: body.subject_identities?.email?.value ?? '', at: clock.now() };
      const fault = faultOf(arrival, arrivals.length);
      arrivals.push(arrival);
      if (fault === 'drop') request.socket.destroy();
      else if (fault) {
        response
          .writeHead(fault.status, fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter })
          .end();
      } else if (method === 'GET' && !there.has(id)) response.writeHead(404).end('{}');
      else {
        there.add(id);
        const headers = {
          'content-type': 'application/json',
          'x-opendsr-processor-domain': 'opendsr.platform.example',
        };
        response.writeHead(method === 'GET' ? 200 : 201, headers);
        response.end(JSON.stringify({ subject_request_id: id, request_status: 'pending' }));
      }
    });
  });
  address = `http://127.0.0.1:${await listenOnLoopback(server)}/v3`;
});
afterEach(() => {
  server.close();
  home.remove();
});

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

const run = (line: string): Promise<CliResult> =>
  runCli(line.split(' '), {
    cwd: home.cwd,
    clock,
    env: {
      ...home.env,
      CDPADM_DSR_BASE_URL: address,
      CDPADM_VENDOR_DOMAIN: 'platform.example',
      CDPADM_WORKSPACE_ID: '1',
      CDPADM_WORKSPACE_KEY: 'key',
      CDPADM_WORKSPACE_SECRET: 'secret',
    },
  });

const ONE = 'dsr submit --regulation gdpr --type access --identity email=a@example.com --yes';
const MANY = 'dsr submit --bulk people.csv --regulation gdpr --type access --yes --progress plain';
function writePeople(rows: number): void {
  const emails = Array.from({ length: rows }, (_, row) => `p${row}@example.com\n`);
  writeFileSync(join(home.cwd, 'people.csv'), `email\n${emails.join('')}`);
}
const posts = (): Arrival[] => arrivals.filter(({ method }) => method === 'POST');
const dateIn = (seconds: number): string => new Date(clock.now() + seconds * 1000).toUTCString();

/** A Retry-After value, and the minimum pause after it. */
const FORMS: [name: string, sent: () => string, leastMs: (sent: string, at: number) => number][] = [
  ['seconds', () => '90', () => 90_000],
  ['zero seconds', () => '0', () => 0],
  ['a date', () => dateIn(600), (sent, at) => Date.parse(sent) - at],
  ['a date in the past', () => dateIn(-600), () => 0],
  ['an invalid value', () => 'soon', () => 0],
  ['several values', () => '5, 6', () => 0],
  ['no header', () => '', () => 0],
];

describe.each([
  ['one request', ONE, 1],
  ['many requests', MANY, 40],
])('Retry-After for %s', (_what, line, rows) => {
  beforeEach(() => writePeople(rows));

  it.each(FORMS)('is respected if valid, and ignored otherwise: %s', async (_form, valueOf, leastOf) => {
    const sent: { text: string; at: number }[] = [];
    faultOf = ({ at }, before) => {
      // Sends 429 in the first three responses.
      if (sent.length >= 3 || before < sent.length) return undefined;
      sent.push({ text: valueOf(), at });
      return { status: 429, retryAfter: sent.at(-1)?.text ?? '' };
    };
    // Sends without concurrency, because requests in flight may arrive during the pause.
    const { code, stderr } = await run(rows === 1 ? line : `${line} --concurrency 1`);
    expect(code, stderr).toBe(0);
    expect(sent.length).toBe(3);
    for (const { at, text } of sent) {
      const next = arrivals[arrivals.findIndex((arrival) => arrival.at === at) + 1];
      expect((next?.at ?? 0) - at).toBeGreaterThanOrEqual(leastOf(text, at));
    }
    expect(new Set(posts().map(({ email }) => email)).size).toBe(rows);
    expect(posts()).toHaveLength(rows + 3);
  });

  it('is reported if it exceeds --timeout, together with the resume command for a bulk run', async () => {
    // On this clock, three hours take over five seconds of real time, enough for the first response on a busy machine.
    for (const retryAfter of sample(['36000', '9'.repeat(40), dateIn(400 * 86_400)], 1)) {
      arrivals.length = 0;
      faultOf = () => ({ status: 429, retryAfter });
      const { code, stderr } = await run(
        `${line} --timeout 3h${existsSync(join(home.cwd, 'begun')) ? ' --resume' : ''}`,
      );
      expect(code, stderr).toBe(11);
      expect(stderr).toMatch(/as the platform requested \(429\)|requested a pause/);
      expect(arrivals.length).toBeLessThanOrEqual(rows);
      if (rows === 1) continue;
      writeFileSync(join(home.cwd, 'begun'), '');
      expect(stderr).toContain('--resume');
    }
    faultOf = () => undefined;
    expect((await run(rows === 1 ? line : `${line} --resume`)).code).toBe(0);
  });
});

describe('retrying', () => {
  it('stops after at most five attempts for a single request', async () => {
    faultOf = ({ method }) => (method === 'GET' ? undefined : { status: 429 });
    expect((await run(ONE)).code).toBe(7);
    expect(posts()).toHaveLength(5);
    for (const fault of ['drop', { status: 503 }] as const) {
      arrivals.length = 0;
      faultOf = () => fault;
      // On this clock, the earlier request may still be young enough to count as a duplicate.
      expect([7, 8]).toContain((await run(`${ONE} --allow-duplicates`)).code);
      for (const method of ['POST', 'GET'])
        expect(arrivals.filter((arrival) => arrival.method === method).length).toBeLessThanOrEqual(5);
    }
  });

  const bad: (arrival: Arrival) => boolean = ({ email }) => email === 'p7@example.com';

  it.each([
    ['after at most five attempts with --give-up-after 0', ' --give-up-after 0', 0, 5],
    ['after at most 15 attempts by default, with pauses', '', 1, 15],
  ])('ends for one of many rows %s', async (_when, flags, minutes, most) => {
    writePeople(60);
    clock = createFastClock(SPEED_UP / 10);
    faultOf = (arrival) => (bad(arrival) ? { status: 500 } : undefined);
    const { code, stderr } = await run(`${MANY}${flags}`);
    // The other rows succeed, so the run continues and reports this row as unknown.
    expect([code, stderr.includes('--resume')]).toEqual([3, true]);
    expect(stderr.includes('a row has failed repeatedly, waiting')).toBe(minutes > 0);
    const sent = posts().filter(bad);
    expect(sent.length).toBeLessThanOrEqual(most);
    expect((sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0)).toBeGreaterThanOrEqual((minutes * MINUTE) / 3);
  });

  it.each([
    ['POST', 12],
    ['GET', 12],
  ])('completes a row after its %s failed %d times while other rows succeeded', async (method, times) => {
    writePeople(60);
    clock = createFastClock(SPEED_UP / 10);
    let id: string | undefined;
    let left = times;
    faultOf = (arrival) => {
      if (bad(arrival)) id = arrival.id;
      if (arrival.id !== id || (arrival.method !== method && (method === 'POST' || left < times)) || left === 0)
        return undefined;
      if (arrival.method === method) left--;
      return { status: 500 };
    };
    const { code, stderr } = await run(MANY);
    expect(code, stderr).toBe(0);
    expect(left).toBe(0);
    expect(new Set(posts().map(({ email }) => email)).size).toBe(60);
  });

  it('does not end the run or send completed requests again if a third of the rows are retried', async () => {
    const rows = 300;
    writePeople(rows);
    const failed = new Set<string>();
    faultOf = ({ method, id, email }) => {
      if (method !== 'POST' || failed.has(id) || Number(/\d+/.exec(email)) % 3 !== 0) return undefined;
      failed.add(id);
      return { status: 500 };
    };
    const { code, stderr } = await run(`${MANY} --concurrency 4`);
    expect(code, stderr).toBe(0);
    expect(failed.size).toBe(rows / 3);
    expect(posts()).toHaveLength(rows + rows / 3);
    expect(new Set(posts().map(({ id }) => id)).size).toBe(rows);
  });

  const outages: [string, Fault][] = [
    ['no request gets a response', 'drop'],
    ['every response is 503', { status: 503 }],
    ['every response is 500', { status: 500 }],
  ];
  it.each(sample(outages, 1))(
    'sends at most 30 requests in the first minute for 1,000 rows when %s',
    async (_how, fault) => {
      writePeople(1000);
      faultOf = () => fault;
      const { code, stderr } = await run(MANY);
      expect([7, 8]).toContain(code);
      expect(stderr).toContain('--resume');
      const first = arrivals[0]?.at ?? 0;
      expect(arrivals.filter(({ at }) => at - first <= MINUTE).length).toBeLessThanOrEqual(30);
      expect(stderr).toMatch(/No request succeeded for 1\dm/);
      expect(arrivals.length).toBeLessThanOrEqual(60);
    },
  );
});
