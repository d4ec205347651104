// Kills processes that append to the chained log concurrently.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Chain, openChain } from '../../src/lib/kernel/chain.ts';
import { type Bundle, bundleEntry } from '../helpers/bundle.ts';
import { createTestClock } from '../helpers/clock.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

let path: string;
let chain: Chain;
beforeEach(() => {
  path = join(temporaryFolder(), 'state', 'log.ndjson');
  chain = openChain(path, { clock: createTestClock() });
});

describe('processes', () => {
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleEntry('test/e2e/children/append-chain.ts');
  });
  afterAll(() => bundle.remove());

  /** Kills the process after `count` acknowledged appends. Resolves with the id of the last line of each append. */
  function appendAndKill(name: string, count: number): Promise<string[]> {
    const child = spawn(process.execPath, [bundle.file, path, name], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const written: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (written.push(line) === count) child.kill('SIGKILL');
    });
    return new Promise((resolve) => child.on('close', () => resolve(written)));
  }

  it('leave an unbroken chain that contains every acknowledged append if they are killed while they append', async () => {
    for (const round of [1, 2, 3]) {
      const written = await Promise.all([5, 9, 13].map((count) => appendAndKill(`r${round}w${count}`, count + round)));
      const report = await chain.verify();
      expect(report.faults).toEqual([]);
      const text = readFileSync(path, 'utf8');
      for (const id of written.flat()) expect(text).toContain(`"id":"${id}"`);
    }
  });
});
