// A browser for page tests and a folder for its files, both for the duration of the surrounding tests.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser, type Page } from './browser.ts';

/** Must be called in a `describe`. Returns a function that opens a page from text; `name` is the file name. */
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
