// Writes data as YAML that every parser reads the same way, including YAML 1.1 and strict readers.
import { Document, type Scalar, type ToStringOptions, visit } from 'yaml';
import { UNPRINTABLE } from '../kernel/reading.ts';

/** Returns YAML in block style, with a final newline. `indentLists: false` aligns a list's dashes with its key. */
export function toYaml(value: unknown, { indentLists = true } = {}): string {
  return textOf(value, { indentSeq: indentLists });
}

/** Characters that are written as escapes: unprintable ones, and those that change the order of text on a screen. */
const ESCAPED = new RegExp(`${UNPRINTABLE.source}|\\p{Bidi_Control}`, 'gu');
const mustEscape = (text: string): boolean => text.search(ESCAPED) >= 0;

/** Prevents folding, and keeps double-quoted strings on one line. */
const ONE_LINE_TEXTS = { lineWidth: 0, doubleQuotedAsJSON: true, flowCollectionPadding: false };

function textOf(value: unknown, style: ToStringOptions): string {
  const document = new Document(value, { compat: 'yaml-1.1' });
  const isFlow = style.collectionStyle === 'flow';
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value !== 'string') return;
      // In flow style, a multi-line string needs double quotes.
      if (mustEscape(node.value) || (isFlow && node.value.includes('\n'))) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escaped(document.toString({ ...ONE_LINE_TEXTS, ...style }));
}

/** Writes a value on one line, valid even inside brackets. A string keeps the quote style of `like` if possible. */
export function inlineText(value: unknown, like?: Scalar): string {
  if (typeof value !== 'string') return textOf(value, { collectionStyle: 'flow' }).slice(0, -1);
  if (like?.type === 'QUOTE_SINGLE' && !/[\r\n]/.test(value) && !mustEscape(value)) {
    return `'${value.replaceAll("'", "''")}'`;
  }
  const isPlain = like?.type !== 'QUOTE_DOUBLE' && !/[[\]{},\r\n]/.test(value);
  return isPlain && toYaml(value) === `${value}\n` ? value : escaped(JSON.stringify(value));
}

/** Escapes the `ESCAPED` characters, which occur only in double quotes, where an escape means the same character. */
function escaped(text: string): string {
  return text.replace(ESCAPED, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
