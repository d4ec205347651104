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
  /** Who made the page, and on which machine. */
  made_by?: { by: string; host: string } | undefined;
}

/** Returns the known facts about the source and `own` as a line that breaks only between facts; empty if none is known. */
function factsLine(
  { platform, organization, workspace, made_on: on, made_by: maker }: PageSource,
  own: readonly string[],
): string {
  const facts = [
    ...[organization && `organization ${organization}`, workspace && `workspace ${workspace}`, platform, ...own],
    ...[on === undefined ? undefined : `made ${minuteOf(on)} UTC`, maker && `by ${maker.by} on ${maker.host}`],
  ];
  const line = facts
    .filter((fact) => fact !== undefined)
    .map((fact, index) => {
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

interface Page {
  title: string;
  /** The heading as HTML. Default: the title. */
  heading?: string;
  facts: readonly string[];
  /** HTML below the facts. */
  lead?: string;
  main: string;
  /** Added to the style of every page. */
  style: string;
}

/** Returns a complete page, with facts about its source at the top. */
export function htmlPage(source: PageSource, page: Page): string {
  const { title, heading = escapeHtml(title), facts, lead, main, style } = page;
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
<header><h1>${heading}</h1>
${factsLine(source, facts)}${lead === undefined ? '' : `\n${lead}`}</header>
<main>
${main}
</main>
</body>
</html>
`;
}
