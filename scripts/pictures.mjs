// Draws the pictures of `docs/pictures` from real runs of the built program: terminals, and with Chromium the console of
// the embedded platform. A test compares them.
import { createRequire } from 'node:module';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { chromium } from 'playwright-core';
import { CHROMIUM } from './chromium.mjs';

/** @type {typeof import('../src/library.ts')} */
const { startEmulator } = createRequire(import.meta.url)('../dist/index.cjs');
const root = join(import.meta.dirname, '..');
const [folder = join(root, 'docs', 'pictures')] = process.argv.slice(2);

/** The commands of each picture; those that start with `:` prepare it and are not shown. @type {[string, string, string[]][]} */
const PICTURES = [
  ['roles-matrix', 'Which role has which task', ['roles matrix']],
  ['roles-diff', 'The difference between a file and the platform', [': roles pull', 'roles diff']],
  [
    'seed-bulk',
    'A bulk run with one outcome for each row',
    [': seed template --out users.csv', 'seed bulk users.csv --yes'],
  ],
];

const ESCAPE = '\u001b[';
/** A change of color. */
const SGR = new RegExp(`(${ESCAPE.replace('[', '\\[')}[\\d;]*m)`);
const COLUMNS = 110;
const LINE = 18;
const CHARACTER = 8.4;
/** What the clock of the console shows. */
const NOON = '2026-01-05T12:00:00Z';
/** Colors on a dark ground, which a light page frames like a window. @type {Record<string, string>} */
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
try {
  await mkdir(folder, { recursive: true });
  for (const [name, title, commands] of PICTURES) {
    const lines = [];
    for (const line of commands) lines.push(...(await linesOf(line)));
    await writeFile(join(folder, `${name}.svg`), draw(title, lines));
  }
  if (CHROMIUM !== undefined) await writeFile(join(folder, 'console.svg'), await drawConsole(CHROMIUM));
} finally {
  await rm(home, { recursive: true, force: true });
}

/** Runs one command in a terminal and returns what it shows. @param {string} line @returns {Promise<string[]>} */
async function linesOf(line) {
  const args = line.replace(/^: /, '').split(' ');
  const env = { PATH: process.env['PATH'], HOME: home, CI: '1', CDPADM_PROFILE: 'local' };
  const program = [join(root, 'bin', 'cdpadm.js'), ...args, '--progress', 'none'];
  const terminal = spawn(process.execPath, program, {
    cols: COLUMNS,
    rows: 40,
    cwd: home,
    env,
    name: 'xterm-256color',
  });
  let text = '';
  terminal.onData((data) => (text += data));
  const code = await new Promise((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  if (code !== 0) throw new Error(`cdpadm ${line}: ${text}`);
  if (args.includes('pull')) {
    const file = join(home, 'roles.yaml');
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace(/(user-role[\s\S]*?)\n[^\n]*live_stream:view[^\n]*/, '$1'),
    );
  }
  if (line.startsWith(': ')) return [];
  // These are different in each run.
  const same = text
    .replace(/plan [0-9a-f]{32}/, `plan ${'41902e17'.repeat(4)}`)
    .replace(/(?<=SECONDS.*)\d+\.\d+/, '0.214')
    .replace(/\S*\/seed\/[0-9a-f]+\.json/, '~/.local/state/cdpadm/seed/e202c73e65f272c9433416cd.json');
  return [`\u001b[90m$\u001b[39m cdpadm ${line.replace(' --yes', '')}`, ...same.trimEnd().split(/\r*\n/)];
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

/** The runs of one line, each at its column, because fonts have different widths. @param {string} line */
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

/** The console with a request and its timeline, on a clock that stands still. @param {string} executablePath */
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
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
      '<title>The console of the embedded platform: a data subject request and its timeline</title>',
      `<rect width="100%" height="100%" rx="8" fill="${COLORS.ground}" stroke="${COLORS.frame}"/>`,
      // Some programs that show pictures do not know `light-dark()`.
      `<style>${style.replace(/light-dark\((?:[^(),]|\([^)]*\))*, ([^)]*)\)/g, '$1')}body { background: none }`,
      ':root { color-scheme: dark }</style>',
      `<foreignObject x="1" y="1" width="${width - 2}" height="${height - 2}">`,
      body,
      '</foreignObject>',
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
