// Drives an installed Chromium with playwright-core, for tests of pages.
import { chromium } from 'playwright-core';
import { CHROMIUM } from '../../scripts/chromium.mjs';

export { CHROMIUM };

export interface Page {
  /** Every URL that has been requested since the page was opened, including the page's own. */
  readonly requests: readonly string[];
  /** Console messages, including violations of the content security policy, and uncaught errors. */
  readonly complaints: readonly string[];
  /** Calls the DevTools protocol for this page. */
  send<T = Record<string, unknown>>(method: string, params?: Record<string, unknown>): Promise<T>;
  /** Evaluates an expression in the page and returns its value. */
  evaluate<T>(expression: string): Promise<T>;
  /** Presses a key, such as `Tab` or `Enter`. */
  press(key: string): Promise<void>;
  size(width: number, height: number): Promise<void>;
  media(features: { type?: 'screen' | 'print'; scheme?: 'light' | 'dark' }): Promise<void>;
}

/** Opens a browser, which `close` terminates. */
export async function openBrowser(): Promise<{ open(url: string): Promise<Page>; close(): Promise<void> }> {
  if (CHROMIUM === undefined) throw new Error('no Chromium is installed');
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
  });
  const context = await browser.newContext();
  return {
    open: async (url) => {
      const page = await context.newPage();
      const requests: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(url);
      const session = await context.newCDPSession(page);
      return {
        requests,
        complaints,
        send: <T>(method: string, params = {}) => session.send(method as 'Page.enable', params) as Promise<T>,
        evaluate: (expression) => page.evaluate(expression),
        press: (key) => page.keyboard.press(key),
        size: (width, height) => page.setViewportSize({ width, height }),
        media: ({ type = 'screen', scheme = 'light' }) => page.emulateMedia({ media: type, colorScheme: scheme }),
      };
    },
    close: () => browser.close(),
  };
}
