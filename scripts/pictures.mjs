// Draws the pictures in `docs/pictures` from real runs of the built program: terminal sessions and, with Chromium, the
// embedded platform's console. A test draws them again and compares them, except for the parts that differ between
// runs.
import { createRequire } from 'node:module';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { chromium } from 'playwright-core';
import { CHROMIUM } from './chromium.mjs';

/** @type {typeof import('../src/library.ts')} */
const { startEmulator } = createRequire(import.meta.url)('../dist/index.cjs');
const root = join(import.meta.dirname, '..');
const [folder = join(root, 'docs', 'pictures')] = process.argv.slice(2);

/** The commands shown in each picture, exactly as a reader would type them. @type {[string, string, string[]][]} */
const PICTURES = [
  ['roles-matrix', 'Which role has which task', ['cdpadm roles matrix']],
  [
    'roles-diff',
    'The difference between a file and the platform',
    ['cdpadm roles pull', 'sed -i /live_stream:view/d roles.yaml', 'cdpadm roles diff'],
  ],
  [
    'seed-bulk',
    'A bulk run of 5,001 rows, one of them rejected',
    [
      'echo identity:customer_id,attr:Revenue:sum >users.csv',
      "seq 5000 | sed 's/$/,10/' >>users.csv",
      'echo 5001,ten >>users.csv',
      'cdpadm seed bulk users.csv --cutoff-date 2026-01-01 --yes',
    ],
  ],
];

/** The home folder shown in the screenshots. */
const HOME = '/home/ada';
const ESCAPE = '\u001b[';
const ERASE = `\r${ESCAPE}K`;
/** Matches an escape sequence that changes the color. */
const SGR = new RegExp(`(${ESCAPE.replace('[', '\\[')}[\\d;]*m)`);
const COLUMNS = 110;
const LINE = 18;
const CHARACTER = 8.4;
/** Browser script that returns the page's text, one line per row. */
const LINES = `[...document.querySelectorAll('header, nav, h2, tr, li')].map((item) => {
  const cells = [...(item.cells ?? [])].filter((cell) => cell.querySelector('details') === null);
  const parts = item.cells ? cells.map((cell) => cell.innerText) : item.innerText.split('\\n');
  return parts.filter((part) => part.trim() !== '').join(' \u00b7 ');
})`;

/** Time at which the request is submitted. The console shows the platform a day later. */
const NOON = '2026-01-05T12:00:00Z';
/** Dark-mode colors, so that the picture looks like a window on a light page. @type {Record<string, string>} */
const COLORS = {
  ground: '#161b22',
  frame: '#6e7681',
  31: '#ff8080',
  32: '#7ee787',
  33: '#f2cc60',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#9da7b3',
};

const home = await mkdtemp(join(tmpdir(), 'cdpadm-pictures-'));
const work = join(home, 'work');
try {
  await mkdir(folder, { recursive: true });
  await mkdir(work);
  const program = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin', 'cdpadm.js')}' "$@"\n`;
  await writeFile(join(home, 'cdpadm'), program, { mode: 0o755 });
  for (const [name, title, commands] of PICTURES) {
    const lines = [];
    for (const line of commands) lines.push(...(await linesOf(line)));
    await writeFile(join(folder, `${name}.svg`), draw(title, lines));
  }
  if (CHROMIUM !== undefined) await writeFile(join(folder, 'console.svg'), await drawConsole(CHROMIUM));
} finally {
  await rm(home, { recursive: true, force: true });
}

/**
 * Runs one command in a terminal and returns the lines that the terminal shows at the end.
 * @param {string} line
 * @returns {Promise<string[]>}
 */
async function linesOf(line) {
  const PATH = [home, process.env['PATH'] ?? ''].join(delimiter);
  const env = { PATH, HOME: home, CDPADM_PROFILE: 'local' };
  const size = { cols: COLUMNS, rows: 40, name: 'xterm-256color' };
  const terminal = spawn('/bin/sh', ['-c', line], { ...size, cwd: work, env });
  let text = '';
  terminal.onData((data) => (text += data));
  const code = await new Promise((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  // A run with a rejected row exits with 3.
  if (code !== 0 && code !== 3) throw new Error(`${line}: ${text}`);
  const shown = text.replaceAll(home, HOME).trimEnd().split(/\r*\n/);
  // The progress line is redrawn in place, so only its last version is shown.
  const last = shown.map((one) => one.split(ERASE).at(-1) ?? one);
  return [`\u001b[90m$\u001b[39m ${line}`, ...(text === '' ? [] : last)];
}

/** @param {string} title @param {string[]} lines */
function draw(title, lines) {
  const width = COLUMNS * CHARACTER + 32;
  const height = lines.length * LINE + 32;
  const texts = lines.map((line, index) => `<text x="16" y="${16 + (index + 1) * LINE - 4}">${spans(line)}</text>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${COLORS.ground}" stroke="${COLORS.frame}"/>`,
    '<g fill="#e6edf3" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">',
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/**
 * Returns the SVG spans of one line. Each span has a fixed position, because the width of text depends on the font.
 * @param {string} line
 */
function spans(line) {
  let column = 0;
  let color = '';
  let bold = false;
  return line
    .split(SGR)
    .map((part) => {
      const codes = part.startsWith(ESCAPE) ? part.slice(2, -1).split(';') : undefined;
      if (codes === undefined) {
        if (part === '') return '';
        const look = `${color && ` fill="${color}"`}${bold ? ' font-weight="bold"' : ''}`;
        const start = column;
        column += part.length;
        return [...part.matchAll(/\S+(?: \S+)*/g)]
          .map(({ 0: words, index }) => {
            const x = (16 + (start + index) * CHARACTER).toFixed(1);
            const length = (words.length * CHARACTER).toFixed(1);
            return `<tspan x="${x}" textLength="${length}"${look}>${escaped(words)}</tspan>`;
          })
          .join('');
      }
      for (const code of codes) {
        if (code === '1') bold = true;
        else if (code === '2') color = COLORS[90] ?? '';
        else if (code === '22') [bold, color] = [false, ''];
        else if (code in COLORS) color = COLORS[code] ?? '';
        else if (code === '39') color = '';
        else if (code === '0' || code === '') [bold, color] = [false, ''];
      }
      return '';
    })
    .join('');
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Draws the console with a stopped clock, a request and the request's timeline. @param {string} executablePath */
async function drawConsole(executablePath) {
  const platform = await startEmulator({ clock: 'manual' });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    await platform.clock.set(NOON);
    await submitRequest(platform.ready);
    await platform.clock.advance('1d');
    const page = await browser.newPage();
    await page.goto(`${platform.control}/ui#requests`);
    await page.locator('summary').click();
    await page.evaluate("document.querySelector('noscript').remove()");
    const body = String(await page.evaluate('new XMLSerializer().serializeToString(document.body)'));
    const style = await (await fetch(`${platform.control}/ui/page.css`)).text();
    const [width, height] = [1180, 350];
    const lines = /** @type {string[]} */ (await page.evaluate(LINES));
    const texts = lines.map((line, index) => `<text x="20" y="${index * 34 + 40}">${escaped(line)}</text>`);
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
      '<title>The console of the embedded platform: a data subject request and its timeline</title>',
      `<rect width="100%" height="100%" rx="8" fill="${COLORS.ground}" stroke="${COLORS.frame}"/>`,
      // Some image viewers do not support `light-dark()`.
      `<style>${style.replace(/light-dark\((?:[^(),]|\([^)]*\))*, ([^)]*)\)/g, '$1')}body { background: none }`,
      ':root { color-scheme: dark }</style>',
      // Viewers without HTML support show only the text.
      '<switch>',
      `<foreignObject x="1" y="1" width="${width - 2}" height="${height - 2}"`,
      'requiredExtensions="http://www.w3.org/1999/xhtml">',
      body,
      '</foreignObject>',
      '<g font-family="sans-serif" font-size="15" fill="#e6e9ee">',
      ...texts,
      '</g>',
      '</switch>',
      '</svg>',
      '',
    ].join('\n');
  } finally {
    await browser.close();
    await platform.close();
  }
}

/** @param {import('../src/library.ts').EmulatorReady} ready */
async function submitRequest({ dsr_base_url: address, workspace_key: key, workspace_secret: secret }) {
  const body = {
    regulation: 'gdpr',
    subject_request_id: 'a1b2c3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
    subject_request_type: 'access',
    submitted_time: NOON,
    subject_identities: { email: { value: 'jane@example.com', encoding: 'raw' } },
    api_version: '3.0',
  };
  const { status } = await fetch(`${address}/requests`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:${secret}`)}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (status !== 201) throw new Error(`POST ${address}/requests: ${status}`);
}
