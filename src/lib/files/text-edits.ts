// Edits text without changing any other byte.

const BLANKS = ' \t\r\n';

export class TextEdits {
  readonly text: string;
  readonly lineEnd: string;
  readonly #edits: { from: number; to: number; insert: string }[] = [];

  constructor(text: string) {
    this.text = text;
    this.lineEnd = /\r?\n/.exec(text)?.[0] ?? '\n';
  }

  /** Replaces the text from `from` up to, but not including, `to`. Two inserts at the same offset keep their order. */
  replace(from: number, to: number, insert: string): void {
    this.#edits.push({ from, to, insert });
  }

  /** Inserts complete lines at `offset`, which is the start of a line or the end of the text. */
  insertLines(offset: number, lines: readonly string[]): void {
    const isOpen = offset > 0 && this.text[offset - 1] !== '\n';
    const block = lines.join(this.lineEnd);
    this.replace(offset, offset, isOpen ? `${this.lineEnd}${block}` : `${block}${this.lineEnd}`);
  }

  /** Removes complete lines. Also removes adjacent blank lines that would double a gap or end the text. */
  dropLines(from: number, to: number): void {
    const before = from - this.#firstBlankBefore(from);
    const after = /^(?:[ \t]*\r?\n)+/.exec(this.text.slice(to))?.[0].length ?? 0;
    const isEnd = to + after === this.text.length;
    this.replace(isEnd ? from - before : from, before > 0 || from === 0 ? to + after : to, '');
  }

  /** Returns the offset of the first blank line directly before the line at `offset`; `offset` if there is none. */
  #firstBlankBefore(offset: number): number {
    let filled = offset;
    while (filled > 0 && BLANKS.includes(this.text.charAt(filled - 1))) filled -= 1;
    if (filled === 0) return 0;
    const lineEnd = this.text.indexOf('\n', filled);
    return lineEnd < 0 ? offset : Math.min(offset, lineEnd + 1);
  }

  lineStart(offset: number): number {
    return this.text.lastIndexOf('\n', offset - 1) + 1;
  }

  /** Returns the offset after the line that contains `offset`; `offset` itself if a line starts there. */
  lineAfter(offset: number): number {
    if (offset === 0 || this.text[offset - 1] === '\n') return offset;
    const end = this.text.indexOf('\n', offset);
    return end < 0 ? this.text.length : end + 1;
  }

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
