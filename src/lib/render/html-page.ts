// The frame of a self-contained HTML page: light and dark, printable, without scripts or external content.
import { capitalized } from '../kernel/words.ts';
import { manifestTime } from '../kernel/timestamps.ts';
import { cleanLine } from './clean.ts';
import { inHtml } from '../kernel/redact.ts';

/** Source and time of a page, for readers who receive only the file. */
export interface PageSource {
  /** Platform address, or a description of the platform. */
  platform?: string | undefined;
  organization?: string | undefined;
  workspace?: string | undefined;
  /** Milliseconds since the epoch. */
  made_on?: number | undefined;
}

/** Returns the facts that are known, such as `organization 1001`, `workspace 42` and `https://platform.example`. */
export function placeFacts({ platform, organization, workspace }: PageSource): string[] {
  const facts = [organization && `organization ${organization}`, workspace && `workspace ${workspace}`, platform];
  return facts.filter((fact) => fact !== undefined);
}

/** Returns a fact such as `made 2026-01-02 03:04 UTC`, if the time is known. */
export function madeFacts({ made_on: made }: PageSource): string[] {
  return made === undefined ? [] : [`made ${minuteOf(made)} UTC`];
}

/** Returns a line of facts that breaks only between facts; empty if there are none. */
export function factsLine(facts: readonly string[]): string {
  const line = facts.map((fact, index) => {
    const text = index === 0 ? capitalized(fact) : fact;
    return `<span class="fact">${index > 0 ? '<i>·</i> ' : ''}${escapeHtml(text)}</span>`;
  });
  return line.length === 0 ? '' : `<p class="facts"><span>${line.join(' ')}</span></p>`;
}

export function minuteOf(ms: number): string {
  return manifestTime(ms).slice(0, 16);
}

/** Escapes text so that it is harmless in HTML, including in attributes. */
export function escapeHtml(text: string): string {
  return inHtml(cleanLine(text), '&#39;');
}

const LIGHT = `--text: #1b1f24; --quiet: #59636e; --faint: #66707b; --page: #ffffff; --line: #dfe3e8; --soft: #f5f7f9;
  --mark: #0a5fb4; --mark-soft: #e3effb; --warn: #8a4b00; --warn-soft: #fdf1de; --bad: #b3261e; --bad-soft: #fdeceb;`;

const DARK = `--text: #e4e8ee; --quiet: #a3adb8; --faint: #8b96a2; --page: #14181d; --line: #2e353e; --soft: #1c2229;
  --mark: #8cc2fa; --mark-soft: #16304a; --warn: #f2b968; --warn-soft: #3a2b14; --bad: #ff9d94; --bad-soft: #3f1f1d;`;

/** The dot before a line's first fact is outside the visible area, so that no line starts or ends with a dot. */
const STYLE = `
:root { color-scheme: light dark; ${LIGHT} }
@media screen and (prefers-color-scheme: dark) {
  :root { ${DARK} }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.75rem 2rem 2rem; max-width: 110rem; background: var(--page); color: var(--text);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 .3rem; letter-spacing: -.01em; }
p { margin: 0 0 1rem; color: var(--quiet); }
.facts { overflow: hidden; }
.facts > span { display: block; margin-left: -.75em; }
.fact { display: inline-block; position: relative; padding-left: .75em; overflow-wrap: anywhere; }
.fact > i { position: absolute; left: .15em; font-style: normal; }
code { font: .875em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
@media screen and (max-width: 40rem) { body { padding: 1rem; } h1 { font-size: 1.25rem; } }
@media print {
  @page { size: A4 landscape; margin: 12mm; }
  body { padding: 0; max-width: none; font-size: 9pt; }
}`;

/** Returns a complete page. `body` is HTML, and `style` is added to the style of every page. */
export function htmlPage(title: string, body: string, style = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${STYLE}${style}
</style>
</head>
<body>
${body}
</body>
</html>
`;
}
