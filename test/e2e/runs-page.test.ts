// A pipeline's runs page in a real browser; skipped if Chromium is not installed.
import { describe, expect, it } from 'vitest';
import type { RunReply } from '../../src/lib/contract/pipeline-runs.ts';
import { runTimelinePage } from '../../src/lib/render/pipeline-timeline.ts';
import { CHROMIUM, type Page } from '../helpers/browser.ts';
import { withPageBrowser } from '../helpers/page-browser.ts';
import { LEAST_CONTRAST, SIDEWAYS } from '../helpers/page-look.ts';

const NEWEST = Date.parse('2026-11-22T06:00:00Z');
const EVIL = `<img src="http://127.0.0.1:9/1" onerror="document.title='forged'">`;
const ENDS = ['failed', 'stopped', 'retrying', 'queued', EVIL];

/**
 * Returns runs that are three hours apart. Every eleventh run is unsuccessful, some have no rows, and the last one is
 * still running.
 */
function runs(count: number): RunReply[] {
  return Array.from({ length: count }, (_, index) => {
    const start = NEWEST - (count - 1 - index) * 3 * 3_600_000;
    const end = index % 11 === 4 ? (ENDS[((index - 4) / 11) % ENDS.length] ?? '') : 'success';
    return {
      id: 9000 + index,
      pipeline_id: 'customers',
      status: index === count - 1 && count > 1 ? 'running' : end,
      errors: end === 'failed' ? [{ message: `no column ${'loyalty_'.repeat(30)} ${EVIL}` }] : [],
      started_on: new Date(start).toISOString(),
      ended_on: new Date(start + 90_000).toISOString(),
      successful_records: end === 'failed' ? 0 : 1000 + index,
      failed_records: index % 7 === 0 ? 1 : 0,
    } as RunReply;
  });
}

const SOURCE = {
  pipeline: 'customers',
  organization: '1001',
  workspace: '42',
  platform: `https://${'platform.'.repeat(12)}example.com`,
  made_on: NEWEST,
};

describe.skipIf(CHROMIUM === undefined)('the runs page in Chromium (skipped if Chromium is not installed)', () => {
  const openPage = withPageBrowser();

  async function open(count: number): Promise<Page> {
    return openPage(`runs-${count}.html`, runTimelinePage(runs(count), SOURCE));
  }

  it('does not request other resources or run code from the platform', async () => {
    const page = await open(60);
    expect(page.requests).toHaveLength(1);
    expect(page.complaints).toEqual([]);
    expect(await page.evaluate('document.title')).toBe('Runs of customers');
    expect(await page.evaluate('document.images.length + document.scripts.length')).toBe(0);
  });

  it.each(['light', 'dark'] as const)('shows all text with a contrast of at least 4.5 in %s mode', async (scheme) => {
    for (const [count, width] of [60, 2500].flatMap((runs) => [1600, 400].map((width) => [runs, width] as const))) {
      const page = await open(count);
      await page.size(width, 900);
      await page.media({ scheme });
      const least = await page.evaluate<{ ratio: number }>(LEAST_CONTRAST);
      expect(least, JSON.stringify(least)).toMatchObject({ ratio: expect.toSatisfy((ratio: number) => ratio >= 4.5) });
    }
  });

  it.each([1600, 1024, 1000, 640, 360])('does not scroll horizontally at a width of %i pixels', async (width) => {
    for (const count of [0, 1, 30, 300, 2500]) {
      const page = await open(count);
      await page.size(width, 700);
      expect(await page.evaluate(SIDEWAYS), `${count} runs`).toBe(0);
    }
  });

  it.each([1600, 400])('shows every unsuccessful run with its status at a width of %i pixels', async (width) => {
    const page = await open(300);
    await page.size(width, 900);
    const unwell = await page.evaluate<{ width: number; height: number; word: string; fits: boolean }[]>(`(() =>
      [...document.querySelectorAll('.run:not(.good)')].map((run) => {
        const [box, word] = [run.querySelector('.plot').getBoundingClientRect(), run.querySelector('b')];
        return { width: box.width, height: box.height, word: word.textContent, fits: word.getBoundingClientRect().width <= box.width };
      }))()`);
    expect(unwell).toHaveLength(28);
    for (const { width: wide, height, word, fits } of unwell) {
      expect(wide).toBeGreaterThanOrEqual(14);
      expect(height).toBeGreaterThanOrEqual(100);
      expect(word).not.toBe('');
      expect(fits).toBe(true);
    }
  });

  it('shows the newest run without scrolling, and each date centered below its column', async () => {
    const page = await open(300);
    await page.size(400, 900);
    const places = await page.evaluate<{ newest: number; right: number; off: number[]; least: number }>(`(() => {
      const middle = (element) => { const box = element.getBoundingClientRect(); return (box.left + box.right) / 2; };
      const box = document.querySelector('.scroll').getBoundingClientRect();
      const dates = [...document.querySelectorAll('.date')];
      return {
        newest: document.querySelector('.run:last-child').getBoundingClientRect().right,
        right: box.right,
        off: dates.map((date) => Math.abs(middle(date) - middle(date.parentElement))),
        least: Math.min(...dates.slice(1).map((date, at) => date.getBoundingClientRect().left - dates[at].getBoundingClientRect().right)),
      };
    })()`);
    expect(places.newest).toBeLessThanOrEqual(places.right);
    expect(Math.max(...places.off)).toBeLessThan(1);
    expect(places.least).toBeGreaterThan(0);
    expect(await page.evaluate('document.querySelector(".zone").textContent')).toBe('UTC');
  });

  it('gives screen readers the same data as a table, including on a phone', async () => {
    const page = await open(30);
    await page.size(400, 900);
    await page.send('Accessibility.enable');
    const { nodes } = await page.send<{ nodes: { role?: { value: string }; name?: { value: string } }[] }>(
      'Accessibility.getFullAXTree',
    );
    const named = (role: string) => nodes.filter((node) => node.role?.value === role).map(({ name }) => name?.value);
    expect(named('table')).toHaveLength(1);
    expect(named('rowheader')).toHaveLength(30);
    expect(named('image').concat(named('img'))).toEqual([expect.stringContaining('30 runs (')]);
    expect(named('region')).toContain('Timeline of runs');
  });

  it('prints in light colors, with every column on paper', async () => {
    const page = await open(300);
    await page.media({ type: 'print', scheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    // A4 in landscape, without margins, at 96 dpi.
    await page.size(1032, 703);
    expect(await page.evaluate(SIDEWAYS)).toBe(0);
    const right = 'Math.max(...[...document.querySelectorAll(".run")].map((run) => run.getBoundingClientRect().right))';
    expect(await page.evaluate(right)).toBeLessThanOrEqual(1032);
  });

  it('reports that there is nothing to list', async () => {
    const page = await open(0);
    expect(await page.evaluate('document.body.innerText')).toContain('There are no matching runs.');
  });
});
