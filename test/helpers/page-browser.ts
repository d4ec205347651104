// A browser for the tests of a page, and a folder for what it opens: both there while the tests around the call run.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser, type Page } from './browser.ts';

/** To be called in a `describe`, whose tests then open a page by its text; `name` is that of its file. */
export function withPageBrowser(): (name: string, html: string) => Promise<Page> {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cdpadm-test-'));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return async (name, html) => {
    const file = join(folder, name);
    writeFileSync(file, html);
    return await browser.open(pathToFileURL(file).href);
  };
}
