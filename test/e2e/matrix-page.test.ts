// The roles matrix page in a real browser; skipped if Chromium is not installed.
import { describe, expect, it } from 'vitest';
import { roleMatrix } from '../../src/lib/domain/roles/permissions.ts';
import { matrixPage } from '../../src/lib/render/roles-matrix.ts';
import { PERMISSIONS, ROLE_TEMPLATES } from '../../src/lib/contract/role-catalog.ts';
import { CHROMIUM, type Page } from '../helpers/browser.ts';
import { withPageBrowser } from '../helpers/page-browser.ts';
import { LEAST_CONTRAST, SIDEWAYS } from '../helpers/page-look.ts';

/** The maximum number of roles, some with ids of the maximum length and some with hostile names. */
const MANY = Array.from({ length: 100 }, (_, index) => ({
  role_id: `team-${index}-`.padEnd(index % 9 === 0 ? 64 : 8, 'x'),
  name: index % 7 === 0 ? `<img src="http://127.0.0.1:9/${index}" onerror="document.title='forged'">` : `Team ${index}`,
  description: 'x',
  tasks: [
    ...PERMISSIONS.filter((_task, place) => (index + place) % 3 === 0).map(({ task_id }) => ({ task_id })),
    { task_id: 'their_own:task' },
  ],
}));
const FEW = ROLE_TEMPLATES.map((role) => ({ ...role, tasks: role.tasks.map((task_id) => ({ task_id })) }));
const SOURCE = { organization: '1001', last_modified_on: '2026-01-02 03:04:05', last_modified_by: 'a@example.com' };

const countPages = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type \/Page\b(?!s)/g)?.length ?? 0;

describe.skipIf(CHROMIUM === undefined)('the matrix page in Chromium (skipped if Chromium is not installed)', () => {
  const openPage = withPageBrowser();

  async function open(roles: typeof FEW): Promise<Page> {
    return openPage(`matrix-${roles.length}.html`, matrixPage(roles, roleMatrix(roles), SOURCE));
  }

  it('does not request other resources or run code from the platform', async () => {
    const page = await open(MANY);
    expect(page.requests).toHaveLength(1);
    expect(page.complaints).toEqual([]);
    expect(await page.evaluate('document.title')).toBe('Roles and their permissions');
    expect(await page.evaluate('document.images.length + document.scripts.length')).toBe(0);
  });

  it.each(['light', 'dark'] as const)('shows all text with a contrast of at least 4.5 in %s mode', async (scheme) => {
    const page = await open(FEW);
    await page.media({ scheme });
    const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(background).toBe(scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 24, 29)');
    const least = await page.evaluate<{ ratio: number }>(LEAST_CONTRAST);
    expect(least, JSON.stringify(least)).toMatchObject({ ratio: expect.toSatisfy((ratio: number) => ratio >= 4.5) });
  });

  it.each([1600, 1024, 640, 360])('does not scroll horizontally at a width of %i pixels', async (width) => {
    for (const roles of [FEW, MANY]) {
      const page = await open(roles);
      await page.size(width, 700);
      expect(await page.evaluate(SIDEWAYS)).toBe(0);
    }
  });

  it('keeps columns with long headings narrow', async () => {
    const long = MANY.map((role, index) => ({ ...role, name: `Regional Marketing Operations and Campaigns ${index}` }));
    const page = await open(long);
    await page.size(1280, 800);
    const widest = await page.evaluate<number>(
      `Math.max(...[...document.querySelectorAll('.screen thead .role')].map((head) => head.getBoundingClientRect().width))`,
    );
    expect(widest).toBeLessThan(64);
  });

  it('does not break the line inside a feature-wide task, and never starts a line with a dot', async () => {
    const page = await open(FEW);
    expect(await page.evaluate(`document.body.innerHTML.includes('catalog:*')`)).toBe(true);
    await page.size(360, 700);
    // A dot separates a fact from the previous one; the first dot in a line is hidden on the left.
    const seen = await page.evaluate<string[]>(`[...document.querySelectorAll('.fact > i')].flatMap((dot) => {
      const left = dot.parentElement.parentElement.parentElement.getBoundingClientRect().left;
      const isFirst = dot.parentElement.getBoundingClientRect().left < left;
      return isFirst && dot.getBoundingClientRect().right > left ? [dot.parentElement.textContent] : [];
    })`);
    expect(seen).toEqual([]);
  });

  it.each([1024, 480, 360])('does not break role names inside words at a width of %i pixels', async (width) => {
    const page = await open(FEW);
    await page.size(width, 700);
    const broken = await page.evaluate<string[]>(`[...document.querySelectorAll('thead .name')].flatMap((name) =>
      [...name.childNodes].filter((node) => {
        const range = document.createRange();
        range.selectNode(node);
        return node.data?.trim() && range.getClientRects().length > 1;
      }).map((node) => node.data))`);
    expect(broken).toEqual([]);
  });

  it('keeps column and row headings visible while scrolling', async () => {
    const page = await open(MANY);
    await page.size(1000, 600);
    await page.evaluate(`document.querySelector('.scroll').scrollTo(900, 400)`);
    const places = await page.evaluate<Record<string, number>>(`(() => {
      const box = document.querySelector('.scroll').getBoundingClientRect();
      const head = document.querySelector('thead th:nth-child(40)').getBoundingClientRect();
      const row = document.querySelector('tbody:nth-of-type(9) tr:nth-child(2) th').getBoundingClientRect();
      const feature = document.querySelector('tbody:nth-of-type(9) tr.feature span').getBoundingClientRect();
      return { top: head.top - box.top, left: row.left - box.left, feature: feature.left - box.left, scrolled: document.querySelector('.scroll').scrollLeft };
    })()`);
    expect(places.scrolled).toBe(900);
    expect(places.top).toBeLessThan(2);
    expect(places.left).toBeLessThan(2);
    expect(places.feature).toBeGreaterThan(0);
    expect(places.feature).toBeLessThan(20);
  });

  it('prints in light colors, with nothing cut off and a few roles on each sheet', async () => {
    const few = await open(FEW);
    await few.media({ type: 'print', scheme: 'dark' });
    expect(await few.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    const many = await open(MANY);
    await many.media({ type: 'print' });
    // A4 in landscape, without margins, at 96 dpi.
    await many.size(1032, 703);
    expect(await many.evaluate(SIDEWAYS)).toBe(0);
    const shown = await many.evaluate<string[]>(
      `[...document.querySelectorAll('thead .role code')].filter((code) => code.offsetParent).map((code) => code.textContent)`,
    );
    expect(shown).toEqual(MANY.map(({ role_id }) => role_id));
    expect(
      await many.evaluate(
        `document.querySelectorAll('.scroll').length && getComputedStyle(document.querySelector('.scroll')).display`,
      ),
    ).toBe('none');
    const pagesOf = async (page: Page) => {
      const { data } = await page.send<{ data: string }>('Page.printToPDF', { preferCSSPageSize: true });
      return countPages(Buffer.from(data, 'base64'));
    };
    await few.media({ type: 'print' });
    expect(await pagesOf(few)).toBeLessThanOrEqual(2);
    expect(await pagesOf(many)).toBeGreaterThanOrEqual(13);
  });

  it('reports that there is nothing to list', async () => {
    const page = await open([]);
    expect(await page.evaluate('document.body.innerText')).toContain('There are no roles');
  });
});
