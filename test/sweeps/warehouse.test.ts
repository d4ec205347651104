// Checks the guarantees of warehouse sync in many rounds: unknown outcomes, concurrent edits, and masks in requests.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isMask } from '../../src/lib/contract/masks.ts';
import { findMasks } from '../../src/lib/domain/warehouse/definition.ts';
import type { Clock } from '../../src/lib/kernel/clock.ts';
import { anyMask } from '../helpers/any-warehouse.ts';
import type { CliOptions } from '../helpers/cli.ts';
import { send } from '../helpers/emulator.ts';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';
import { CONNECTION, MODEL, PIPELINE, SECRET_ENV, SQL } from '../helpers/warehouse-files.ts';
import { runs } from '../helpers/size.ts';

/** `vitest --mode whole` runs all 100 rounds; other modes run a sample. */
const ROUNDS = process.env.MODE === 'whole' ? 100 : 5;

interface Passing {
  method: string;
  path: string;
  body: string;
}

let home: PlatformHome;
let clock: Clock;
/** A proxy in front of the platform. A test may act before a request is forwarded. */
let proxy: Server;
let passed: Passing[];
let beforePassing: (request: Passing) => Promise<void>;

beforeEach(async () => {
  home = await openPlatformHome({ clock: 'manual' });
  let now = Date.parse(await home.platform.api.now());
  clock = {
    now: () => now,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      now = Date.parse(await home.platform.api.advance(`${ms}ms`));
    },
  };
  passed = [];
  beforePassing = () => Promise.resolve();
  proxy = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString('utf8');
      const passing = { method: request.method ?? '', path: request.url ?? '', body };
      await beforePassing(passing);
      passed.push(passing);
      const { authorization = '' } = request.headers;
      const answer = await send(passing.method, `${home.platform.url}${passing.path}`, {
        ...(body !== '' && { body }),
        headers: { authorization },
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text);
    })();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  home.write('connection.yaml', CONNECTION);
  home.write('model.yaml', MODEL);
  home.write('active-customers.sql', SQL);
  home.write('pipeline.yaml', PIPELINE);
  for (const line of [
    'connections create -f connection.yaml',
    'data-models create -f model.yaml',
    'pipelines create -f pipeline.yaml',
  ]) {
    expect(await run(line)).toMatchObject({ code: 0 });
  }
});
afterEach(async () => {
  proxy.closeAllConnections();
  await new Promise<void>((resolve) => proxy.close(() => resolve()));
  await home.close();
});

const run = (line: string, options: CliOptions = {}) =>
  home.run(`${line} --yes`, { clock, ...options, env: { ...SECRET_ENV, ...options.env } });

function runThroughProxy(line: string | string[], env: Record<string, string> = {}) {
  const { port } = proxy.address() as AddressInfo;
  const CDPADM_BASE_URL = `http://127.0.0.1:${port}`;
  const CDPADM_AUDIENCE = home.platform.ready.base_url;
  return home.run(line, { clock, env: { ...SECRET_ENV, CDPADM_BASE_URL, CDPADM_AUDIENCE, ...env } });
}

/** Returns the number of POST requests whose path ends with `end`. */
const received = async (end: string): Promise<number> =>
  (await home.platform.api.requests()).filter(({ method, path }) => method === 'POST' && path.endsWith(end)).length;

describe('a request with an unknown outcome', () => {
  it(`is sent once if it triggers a run, and the run is reported if it started (${ROUNDS} rounds)`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const drop = round % 2 === 0 ? 'after' : 'before';
      const before = { sent: await received('/trigger'), runs: await runsOf() };
      await home.platform.api.addFault({ method: 'POST', path: '/platform/v2/*/trigger', drop, times: 9 });
      const result = await run('pipelines trigger customers --yes --wait -o json');
      await home.platform.api.clearFaults();
      const runs = (await runsOf()).filter((id) => !before.runs.includes(id));
      expect((await received('/trigger')) - before.sent).toBe(1);
      if (drop === 'after') {
        expect(result.code).toBe(0);
        expect(JSON.parse(result.stdout)).toMatchObject({
          pipeline_id: 'customers',
          pipeline_run_id: runs[0],
          status: 'success',
        });
      } else expect(result).toMatchObject({ code: 8, stderr: expect.stringMatching(/not sent a second time/) });
      expect(runs).toHaveLength(drop === 'after' ? 1 : 0);
    }
  });

  it(`is sent once if it resets a pipeline, and the sync position is reported (${ROUNDS} rounds)`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const drop = round % 2 === 0 ? 'after' : 'before';
      const sent = await received('/reset');
      await home.platform.api.addFault({ method: 'POST', path: '/platform/v2/*/reset', drop, times: 9 });
      const result = await run('pipelines reset customers --confirm customers');
      await home.platform.api.clearFaults();
      expect((await received('/reset')) - sent).toBe(1);
      expect(result).toMatchObject({ code: 8, stderr: expect.stringMatching(/sync position is now/) });
    }
  });
});

async function runsOf(): Promise<unknown[]> {
  const { data } = await home.json<{ id: unknown }[]>('pipelines runs customers --all');
  return data.map(({ id }) => id);
}

it(`never overwrites an edit that another admin makes between our GET and PUT (${ROUNDS} rounds)`, async () => {
  const path = `/platform/v2/workspaces/${home.platform.ready.workspace_id}/inputs/data-pipelines/customers`;
  for (let round = 0; round < ROUNDS; round++) {
    const theirs = `Theirs ${round}`;
    let reads = 0;
    beforePassing = async (request) => {
      if (request.method !== 'GET' || request.path !== path || ++reads !== 2) return;
      const live = (await home.platform.call('GET', path)).json as object;
      const body = { ...live, name: theirs };
      expect((await home.platform.call('PUT', path, { body })).status).toBe(200);
    };
    const result = await runThroughProxy(['pipelines', 'update', 'customers', '--name', `Ours ${round}`, '--yes']);
    expect(result).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/another admin changed pipeline customers\. Nothing was sent/),
    });
    expect((await home.platform.call('GET', path)).json).toMatchObject({ name: theirs });
  }
  expect(passed.filter(({ method }) => method === 'PUT')).toEqual([]);
});

it('never sends a mask in any form', async () => {
  mkdirSync(join(home.cwd, 'sync/connections'), { recursive: true });
  const ways: ((mask: string) => Promise<unknown>)[] = [
    // Masks in a file that changes or creates a connection, and in a folder of files.
    (mask) => {
      home.write('masked.yaml', CONNECTION.replace('env:WAREHOUSE_PASSWORD', JSON.stringify(mask)));
      return runThroughProxy('connections update crm -f masked.yaml --yes');
    },
    (mask) => {
      const other = CONNECTION.replace('id: crm', 'id: other').replace('role: sync', `role: ${JSON.stringify(mask)}`);
      home.write('masked.yaml', other);
      return runThroughProxy('connections create -f masked.yaml --yes');
    },
    (mask) => {
      home.write('sync/connections/crm.yaml', CONNECTION.replace('env:WAREHOUSE_PASSWORD', JSON.stringify(mask)));
      return runThroughProxy('warehouse apply sync --send-secrets --force --yes');
    },
    // Masks in a resolved reference, and as the value of a flag.
    (mask) => runThroughProxy('connections update crm -f connection.yaml --yes', { WAREHOUSE_PASSWORD: mask }),
    (mask) => {
      home.write('secret.txt', mask);
      return runThroughProxy('connections update crm --role x --password-from file:secret.txt --yes');
    },
    (mask) => runThroughProxy(['connections', 'update', 'crm', '--password-from', mask, '--yes']),
    (mask) => runThroughProxy(['connections', 'update', 'crm', '--role', mask, '--password-from', 'env:X', '--yes']),
    (mask) => runThroughProxy(['pipelines', 'update', 'customers', '--name', mask, '--yes']),
  ];
  await fc.assert(
    fc.asyncProperty(anyMask, fc.nat(ways.length - 1), async (mask, way) => {
      fc.pre(isMask(mask));
      await ways[way]?.(mask);
      const bodies = passed.filter(({ body }) => body !== '').map(({ body }) => JSON.parse(body) as unknown);
      expect(bodies.flatMap((body) => findMasks(body))).toEqual([]);
    }),
    runs(200),
  );
  // Updates from the result of a GET, unchanged or with one edited field.
  for (const edit of [(text: string) => text, (text: string) => text.replace('role: sync', 'role: loader')]) {
    home.write('shown.yaml', edit((await runThroughProxy('connections get crm -o yaml')).stdout));
    expect(await runThroughProxy('connections update crm -f shown.yaml --yes')).toMatchObject({ code: 9 });
    const line = 'connections update crm -f shown.yaml --password-from env:WAREHOUSE_PASSWORD --yes';
    expect(await runThroughProxy(line)).toMatchObject({ code: 0 });
  }
  const puts = passed.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body) as object);
  expect(puts.length).toBeGreaterThan(0);
  for (const put of puts) expect(put).toMatchObject({ config: { password: SECRET_ENV.WAREHOUSE_PASSWORD } });
});
