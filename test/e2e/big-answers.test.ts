// Sends the built program responses that are too large or too deeply nested, and gzip bombs. The program prints an error
// and uses little memory.
import { spawn } from 'node:child_process';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createGzip, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CliHome, createCliHome } from '../helpers/cli.ts';
import { PROGRAM } from '../helpers/root.ts';

/**
 * A module that is loaded into the program. At exit, it writes the peak memory of the process in kilobytes to file
 * descriptor 3. It prefers /proc, because the resource usage of a process may include its parent's.
 */
const PEAK = `import fs from 'node:fs';
process.on('exit', () => {
  let peak = process.resourceUsage().maxRSS;
  try {
    peak = /VmHWM:\\s*(\\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1];
  } catch {}
  fs.writeSync(3, String(peak));
});`;

/** In kilobytes. */
const MAX_MEMORY = 300 * 1024;
const MEGABYTE = 1024 * 1024;
const TOTAL = 300 * MEGABYTE;

type Answer = (response: ServerResponse) => void;
const JSON_HEAD = { 'content-type': 'application/json' };

/** Writes `piece` repeatedly, as fast as the reader accepts it. */
function pour(response: ServerResponse, first: string, piece: Buffer, times: number): void {
  response.writeHead(200, JSON_HEAD);
  response.write(first);
  let left = times;
  const more = (): void => {
    while (left-- > 0 && !response.destroyed) {
      if (!response.write(piece)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}

const role = `{"role_id":"a","name":"b","description":"${'d'.repeat(200)}","tasks":[]},`;
const roles = Buffer.from(role.repeat(Math.ceil(MEGABYTE / role.length)));
/**
 * A gigabyte of spaces in a megabyte of gzip. The file has several gzip members, so that the test itself needs little
 * memory.
 */
const bomb = Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 * MEGABYTE, ' '))));
const deep = (times: number): string => `{"roles":${'['.repeat(times)}${']'.repeat(times)}}`;

const ANSWERS: [string, Answer][] = [
  ['300 MB of roles', (response) => pour(response, '{"roles":[', roles, TOTAL / MEGABYTE)],
  ['300 MB in one string', (response) => pour(response, '{"roles":"', Buffer.alloc(MEGABYTE, 'x'), TOTAL / MEGABYTE)],
  [
    '300 MB of roles, compressed',
    (response) => {
      response.writeHead(200, { ...JSON_HEAD, 'content-encoding': 'gzip' });
      const zip = createGzip({ level: 1 });
      zip.pipe(response);
      response.on('close', () => zip.destroy());
      zip.write('{"roles":[');
      let left = TOTAL / MEGABYTE;
      const more = (): void => {
        while (left-- > 0 && !zip.destroyed) {
          if (!zip.write(roles)) {
            zip.once('drain', more);
            return;
          }
        }
        zip.end();
      };
      more();
    },
  ],
  [
    'a gzip bomb',
    (response) => {
      response.writeHead(200, { ...JSON_HEAD, 'content-encoding': 'gzip' });
      response.end(bomb);
    },
  ],
  ['arrays nested 200,000 levels deep', (response) => response.writeHead(200, JSON_HEAD).end(deep(200_000))],
  [
    'objects nested 200,000 levels deep',
    (response) => response.writeHead(200, JSON_HEAD).end(`{"roles":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`),
  ],
];

let server: Server;
let answer: Answer;
let home: CliHome;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    if (request.url === '/oauth/token') {
      response.writeHead(200, JSON_HEAD).end('{"access_token":"token","token_type":"Bearer","expires_in":28800}');
    } else answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  home = createCliHome();
});
afterEach(() => home.remove());

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Peak memory of the process in kilobytes. */
  peak: number;
}

function run(args: readonly string[]): Promise<Ended> {
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(PEAK)}`];
  const child = spawn(process.execPath, [...preload, PROGRAM, ...args], {
    cwd: home.cwd,
    env: {
      PATH: process.env.PATH,
      ...home.env,
      CDPADM_BASE_URL: url,
      CDPADM_AUTH_URL: url,
      CDPADM_ORG_ID: '1',
      CDPADM_ACCOUNT_ID: '2',
      CDPADM_CLIENT_ID: 'me',
      CDPADM_CLIENT_SECRET: 'secret',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const text = ['', '', '', ''];
  for (const index of [1, 2, 3]) {
    child.stdio[index]?.on('data', (chunk: Buffer) => {
      text[index] = `${text[index] ?? ''}${chunk.toString('utf8')}`;
    });
  }
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve({ code, stdout: text[1] ?? '', stderr: text[2] ?? '', peak: Number(text[3]) });
    });
  });
}

describe('a response that is too large or too deeply nested', () => {
  test.each(ANSWERS)(
    'makes the program exit with 1, print an error and use less than 300 MB: %s',
    async (_what, bad) => {
      answer = bad;
      const { code, peak, stderr, stdout } = await run(['roles', 'list']);
      expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^Error: /);
      expect(stderr).not.toContain('This is a bug');
      expect(stderr.length).toBeLessThan(2000);
      expect(peak).toBeGreaterThan(0);
      expect(peak).toBeLessThan(MAX_MEMORY);
    },
  );
});
