// How many columns of a terminal a text takes, and cutting it to fit.

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\u200b-\u200d\ufe00-\ufe0f]/u;

/** Columns of a text without colour and without line ends; East Asian characters and emoji take two. */
export function displayWidth(text: string): number {
  // Nearly every text is ASCII, where a column is a character.
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The text, or its beginning and `…`, in at most `width` columns. */
export function fitText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** Pads with spaces on the right to `width` columns. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function characterWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Lines of at most `width` columns, broken between words; a longer word has a line of its own and stays whole. */
export function wrapText(text: string, width: number): string[] {
  if (displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 1 + displayWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Our own colours; text from outside holds none by then. */
const COLOUR = /\p{Cc}\[[\d;]*m/gu;

/**
 * Sentences in lines of at most `width` columns, broken between words and indented as they began. What stands in
 * back-ticks, and a command line at the end of a line, stay whole: they are there to be copied.
 */
export function wrapMessage(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width))
    .join('\n');
}

/** The same after `lead`, which stands once: what goes on below is indented by its width. */
export function wrapUnder(lead: string, text: string, width: number): string {
  const indent = shownWidth(lead);
  return lead + wrapMessage(text, Math.max(NARROWEST, width - indent)).replaceAll('\n', `\n${' '.repeat(indent)}`);
}

/** Below this, breaking lines helps nobody. */
const NARROWEST = 20;

const shownWidth = (text: string): number => displayWidth(text.replace(COLOUR, ''));

function wrapLine(line: string, width: number): string[] {
  if (shownWidth(line) <= width) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const words = line.match(/(?<=: )cdpadm [^]*|`[^`]*`[^\s`]*|\S+/g) ?? [];
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && shownWidth(last) + 1 + shownWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(indent + word);
  }
  return lines;
}

/** A line of a log: between words, with its gaps as they are; what goes on below is indented. Words stay whole. */
export function wrapLogLine(line: string, width: number): string {
  if (shownWidth(line) <= width) return line;
  const lines: string[] = [];
  for (const word of line.match(/(?<!\s)\s*\S+/g) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && shownWidth(last) + shownWidth(word) <= width) lines[lines.length - 1] = last + word;
    else lines.push(last === undefined ? word : LOG_INDENT + word.trimStart());
  }
  return lines.join('\n');
}

const LOG_INDENT = '  ';

/**
 * Lines that stand in columns already, each in at most `width` columns: what is too long goes on below where its last
 * column begins that leaves it half of the width, and the columns before it stay where they are.
 */
export function wrapAligned(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => {
      if (shownWidth(line) <= width) return line;
      const lead = leadsOf(line).findLast((start) => shownWidth(start) <= width / 2) ?? '';
      return wrapUnder(lead, line.slice(lead.length), width);
    })
    .join('\n');
}

/** The beginnings of a line behind which a column starts: its indent with the sign of a change, and each wide gap. */
function leadsOf(line: string): string[] {
  const indent = /^(?:\p{Cc}\[[\d;]*m| )*(?:[-+~] +)?/u.exec(line)?.[0] ?? '';
  const gaps = [...line.matchAll(/(?<=\S) {2,}(?=\S)/gu)].map(({ 0: gap, index }) => index + gap.length);
  return [indent, ...gaps.filter((end) => end > indent.length).map((end) => line.slice(0, end))];
}
