// Counts the promises of warehouse sync: unknown outcomes, edits by another admin, masks on the wire.
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

/** `vitest --mode whole` runs what is promised, 100 of 100; every other run a sample of it. */
const ROUNDS = process.env.MODE === 'whole' ? 100 : 5;

interface Passing {
  method: string;
  path: string;
  body: string;
}

let home: PlatformHome;
let clock: Clock;
/** In front of the platform: everything passes, and a test may act before something does. */
let door: Server;
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
  door = createServer((request, response) => {
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
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
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
  door.closeAllConnections();
  await new Promise<void>((resolve) => door.close(() => resolve()));
  await home.close();
});

const run = (line: string, options: CliOptions = {}) =>
  home.run(`${line} --yes`, { clock, ...options, env: { ...SECRET_ENV, ...options.env } });

/** The same through the door. */
function runBeyond(line: string | string[], env: Record<string, string> = {}) {
  const { port } = door.address() as AddressInfo;
  const CDPADM_BASE_URL = `http://127.0.0.1:${port}`;
  const CDPADM_AUDIENCE = home.platform.ready.base_url;
  return home.run(line, { clock, env: { ...SECRET_ENV, CDPADM_BASE_URL, CDPADM_AUDIENCE, ...env } });
}

/** How often the platform received a POST with this end of its path. */
const received = async (end: string): Promise<number> =>
  (await home.platform.api.requests()).filter(({ method, path }) => method === 'POST' && path.endsWith(end)).length;

describe('an unknown outcome', () => {
  it(`of a trigger: sent once in ${ROUNDS} of ${ROUNDS}, the run found and reported`, async () => {
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

  it(`of a reset: sent once in ${ROUNDS} of ${ROUNDS}, the position reported`, async () => {
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

it(`never overwrites another admin’s edit between its GET and PUT, ${ROUNDS} of ${ROUNDS}`, async () => {
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
    const result = await runBeyond(['pipelines', 'update', 'customers', '--name', `Ours ${round}`, '--yes']);
    expect(result).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/another admin changed pipeline customers\. Nothing was sent/),
    });
    expect((await home.platform.call('GET', path)).json).toMatchObject({ name: theirs });
  }
  expect(passed.filter(({ method }) => method === 'PUT')).toEqual([]);
});

it('never sends a mask, whatever its form', async () => {
  mkdirSync(join(home.cwd, 'sync/connections'), { recursive: true });
  const ways: ((mask: string) => Promise<unknown>)[] = [
    // In a file, changed or new, and in a folder of files.
    (mask) => {
      home.write('masked.yaml', CONNECTION.replace('env:WAREHOUSE_PASSWORD', JSON.stringify(mask)));
      return runBeyond('connections update crm -f masked.yaml --yes');
    },
    (mask) => {
      const other = CONNECTION.replace('id: crm', 'id: other').replace('role: sync', `role: ${JSON.stringify(mask)}`);
      home.write('masked.yaml', other);
      return runBeyond('connections create -f masked.yaml --yes');
    },
    (mask) => {
      home.write('sync/connections/crm.yaml', CONNECTION.replace('env:WAREHOUSE_PASSWORD', JSON.stringify(mask)));
      return runBeyond('warehouse apply sync --send-secrets --allow-delete --force --yes');
    },
    // In a reference, and as the value of a flag.
    (mask) => runBeyond('connections update crm -f connection.yaml --yes', { WAREHOUSE_PASSWORD: mask }),
    (mask) => {
      home.write('secret.txt', mask);
      return runBeyond('connections update crm --role x --password-from file:secret.txt --yes');
    },
    (mask) => runBeyond(['connections', 'update', 'crm', '--password-from', mask, '--yes']),
    (mask) => runBeyond(['connections', 'update', 'crm', '--role', mask, '--password-from', 'env:X', '--yes']),
    (mask) => runBeyond(['pipelines', 'update', 'customers', '--name', mask, '--yes']),
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
  // Sends back the result of a GET, unchanged or with one field edited.
  for (const edit of [(text: string) => text, (text: string) => text.replace('role: sync', 'role: loader')]) {
    home.write('shown.yaml', edit((await runBeyond('connections get crm -o yaml')).stdout));
    expect(await runBeyond('connections update crm -f shown.yaml --yes')).toMatchObject({ code: 9 });
    const line = 'connections update crm -f shown.yaml --password-from env:WAREHOUSE_PASSWORD --yes';
    expect(await runBeyond(line)).toMatchObject({ code: 0 });
  }
  const puts = passed.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body) as object);
  expect(puts.length).toBeGreaterThan(0);
  for (const put of puts) expect(put).toMatchObject({ config: { password: SECRET_ENV.WAREHOUSE_PASSWORD } });
});
