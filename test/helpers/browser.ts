// Drives a headless browser over its pipe, for tests of page layout.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';
import { PATIENT } from './patient.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of an installed Chromium, or undefined. */
export const CHROMIUM = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--remote-debugging-pipe', '--hide-scrollbars'],
];

export interface Page {
  /** Every URL that was requested since the page was opened, including its own. */
  readonly requests: readonly string[];
  /** Console messages and violations of the content security policy. */
  readonly complaints: readonly string[];
  /** Calls the DevTools protocol for this page. */
  send<T = Record<string, unknown>>(method: string, params?: Record<string, unknown>): Promise<T>;
  /** The value of an expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
  size(width: number, height: number): Promise<void>;
  media(features: { type?: 'screen' | 'print'; scheme?: 'light' | 'dark' }): Promise<void>;
}

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, never>;
  result?: unknown;
  error?: { message: string };
}

/** Opens a browser, which `close` terminates. */
export async function openBrowser(): Promise<{ open(url: string): Promise<Page>; close(): Promise<void> }> {
  if (CHROMIUM === undefined) throw new Error('no Chromium is installed');
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-browser-'));
  const child = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${folder}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    // A separate process group, so that its children can be terminated with it.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const [write, read] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  const waiting = new Map<number, (message: Message) => void>();
  const listeners = new Set<(message: Message) => void>();
  let rest = '';
  read.setEncoding('utf8');
  read.on('data', (text: string) => {
    const parts = (rest + text).split('\0');
    rest = parts.pop() ?? '';
    for (const message of parts.map((part) => JSON.parse(part) as Message)) {
      if (message.id === undefined) listeners.forEach((listen) => listen(message));
      else waiting.get(message.id)?.(message);
    }
  });

  let last = 0;
  function call<T>(method: string, params: Record<string, unknown> = {}, sessionId?: string): Promise<T> {
    const id = ++last;
    return new Promise<T>((resolve, reject) => {
      waiting.set(id, ({ result, error }) => {
        waiting.delete(id);
        if (error) reject(new Error(`${method}: ${error.message}`));
        else resolve(result as T);
      });
      write.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  async function open(url: string): Promise<Page> {
    const { targetId } = await call<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
    const attached = await call<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
    const send: Page['send'] = (method, params) => call(method, params, attached.sessionId);
    const requests: string[] = [];
    const complaints: string[] = [];
    const loaded = new Promise<void>((resolve) => {
      listeners.add(({ method, params }) => {
        if (method === 'Network.requestWillBeSent')
          requests.push((params?.request as { url: string } | undefined)?.url ?? '');
        if (method === 'Log.entryAdded' || method === 'Runtime.exceptionThrown')
          complaints.push(JSON.stringify(params));
        if (method === 'Page.loadEventFired') resolve();
      });
    });
    for (const domain of ['Page', 'Network', 'Log', 'Runtime']) await send(`${domain}.enable`);
    await send('Page.navigate', { url });
    await loaded;
    return {
      requests,
      complaints,
      send,
      evaluate: async <T>(expression: string) => {
        const reply = await send<{ result: { value: T }; exceptionDetails?: unknown }>('Runtime.evaluate', {
          expression,
          returnByValue: true,
        });
        if (reply.exceptionDetails) throw new Error(JSON.stringify(reply.exceptionDetails));
        return reply.result.value;
      },
      size: async (width, height) => {
        await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
      },
      media: async ({ type = 'screen', scheme = 'light' }) => {
        const features = [{ name: 'prefers-color-scheme', value: scheme }];
        await send('Emulation.setEmulatedMedia', { media: type, features });
      },
    };
  }

  return {
    open,
    close: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
      // Children of the browser exit a little later and may still write files. `maxRetries` would retry only the
      // folder, not new files in it.
      await vi.waitFor(() => rmSync(folder, { recursive: true, force: true }), PATIENT);
    },
  };
}
