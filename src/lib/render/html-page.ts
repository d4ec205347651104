// The shell of a self-contained HTML page: no script, nothing from elsewhere, light and dark, fit to print.
import { cleanLine } from './clean.ts';

/** Text made harmless for HTML, attributes included. */
export function escapeHtml(text: string): string {
  return cleanLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --page: #ffffff; --line: #d5dae1; --soft: #f2f4f7; --mark: #0a5fb4; --warn: #8a4b00; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e8ee; --page: #14181d; --line: #343b45; --soft: #1e242b; --mark: #7fb8f5; --warn: #f0b060; }
}
* { box-sizing: border-box; }
body { margin: 2rem; background: var(--page); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; }
p { margin: .25rem 0 1rem; max-width: 70ch; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
thead th { background: var(--soft); position: sticky; top: 0; }
code { font: 13px/1.4 ui-monospace, monospace; }
@media print {
  body { margin: 0; font-size: 10pt; }
  .scroll { overflow: visible; }
  thead { display: table-header-group; }
  thead th { position: static; }
  tr { break-inside: avoid; }
}`;

/** A whole page. `body` is HTML already; `style` is added to the page's own. */
export function htmlPage(title: string, body: string, style = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
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
