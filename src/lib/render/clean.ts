// Makes external text harmless for a terminal: it cannot move the cursor, start a color or forge a line.

// Controls (C0 and C1), line and paragraph separators, bidirectional controls, byte order marks and tag characters.
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff\u{e0000}-\u{e007f}]/gu;

/** Matches most strings. For these, the slower pattern above is not needed. */
const PRINTABLE = /^[ -~]*$/;

const REPLACEMENT = '\ufffd';

/** Cleans one line: tabs and line breaks become spaces, and every other unsafe character becomes U+FFFD. */
export function cleanLine(text: string): string {
  if (PRINTABLE.test(text)) return text;
  return text.replace(/\r\n|[\t\n\r]/g, ' ').replace(UNSAFE, REPLACEMENT);
}

/** Cleans several lines: keeps newlines and tabs. */
export function cleanText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(UNSAFE, (character) => (character === '\n' || character === '\t' ? character : REPLACEMENT));
}

/** Cleans text for an assistant, which also reads invisible characters: each becomes U+FFFD, even in an emoji. */
export function cleanForAssistant(text: string): string {
  return cleanText(text).replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, REPLACEMENT);
}

/** Uses a zero-width space to break what GitHub's runner reads as a command: `::` at a line start, and `##[`. */
export function breakCommands(text: string): string {
  return text.replace(/^[^\S\n]*:(?=:)/gm, '$&\u200b').replaceAll('##[', '##\u200b[');
}

/** Returns JSON text with unsafe characters escaped: the same value, but harmless on screens and in logs. */
export function escapeJson(json: string): string {
  // `##[` starts a command for GitHub's runner. In JSON, `##[` is always inside a string.
  return json.replaceAll('##[', '#\\u0023[').replace(UNSAFE, (character) => {
    if (character === '\n') return character;
    return Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
    }).join('');
  });
}
