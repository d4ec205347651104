// Cuts in a text, so that whatever is not meant stays byte for byte.

/** What a blank line consists of. */
const BLANKS = ' \t\r\n';

export class TextEdits {
  readonly text: string;
  /** How the text ends its lines. */
  readonly lineEnd: string;
  readonly #edits: { from: number; to: number; insert: string }[] = [];

  constructor(text: string) {
    this.text = text;
    this.lineEnd = /\r?\n/.exec(text)?.[0] ?? '\n';
  }

  /** Puts `insert` in place of what stands from `from` to before `to`. Of two inserts in one place the first comes first. */
  replace(from: number, to: number, insert: string): void {
    this.#edits.push({ from, to, insert });
  }

  /** Inserts whole lines before the line that begins at `offset`, or behind the last one. */
  insertLines(offset: number, lines: readonly string[]): void {
    const isOpen = offset > 0 && this.text[offset - 1] !== '\n';
    const block = lines.join(this.lineEnd);
    this.replace(offset, offset, isOpen ? `${this.lineEnd}${block}` : `${block}${this.lineEnd}`);
  }

  /** Takes out whole lines, and blank ones beside them where two gaps would become one, or one the end. */
  dropLines(from: number, to: number): void {
    const before = from - this.#firstBlankBefore(from);
    const behind = /^(?:[ \t]*\r?\n)+/.exec(this.text.slice(to))?.[0].length ?? 0;
    const isEnd = to + behind === this.text.length;
    this.replace(isEnd ? from - before : from, before > 0 || from === 0 ? to + behind : to, '');
  }

  /** The offset of the first of the blank lines right before the line that starts at `offset`; `offset` without any. */
  #firstBlankBefore(offset: number): number {
    let filled = offset;
    while (filled > 0 && BLANKS.includes(this.text.charAt(filled - 1))) filled -= 1;
    if (filled === 0) return 0;
    const lineEnd = this.text.indexOf('\n', filled);
    return lineEnd < 0 ? offset : Math.min(offset, lineEnd + 1);
  }

  /** The offset of the first character of the line in which `offset` lies. */
  lineStart(offset: number): number {
    return this.text.lastIndexOf('\n', offset - 1) + 1;
  }

  /** The offset behind the line in which `offset` lies; `offset` itself where a line begins there. */
  lineBehind(offset: number): number {
    if (offset === 0 || this.text[offset - 1] === '\n') return offset;
    const end = this.text.indexOf('\n', offset);
    return end < 0 ? this.text.length : end + 1;
  }

  /** The text with every edit made. */
  apply(): string {
    let result = '';
    let done = 0;
    for (const { from, to, insert } of this.#edits.sort((a, b) => a.from - b.from)) {
      result += this.text.slice(done, Math.max(done, from)) + insert;
      done = Math.max(done, to);
    }
    return result + this.text.slice(done);
  }
}
