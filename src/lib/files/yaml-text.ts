// Writes data as YAML that every reader understands the same way, including YAML 1.1 readers and strict ones.
import type { Scalar, ToStringOptions } from 'yaml';
import { UNPRINTABLE } from './reading.ts';

type Yaml = typeof import('yaml');

/** Writes block style, with a final line feed. `indentLists: false` puts a list's dashes directly below its key. */
export function blockText(yaml: Yaml, value: unknown, { indentLists = true } = {}): string {
  return textOf(yaml, value, { indentSeq: indentLists });
}

const UNPRINTABLE_OR_LINES = new RegExp(`${UNPRINTABLE.source}|\\n`);

/** Without folding, and with double-quoted strings on one line. */
const ONE_LINE_TEXTS = { lineWidth: 0, doubleQuotedAsJSON: true, flowCollectionPadding: false };

function textOf(yaml: Yaml, value: unknown, style: ToStringOptions): string {
  const document = new yaml.Document(value, { compat: 'yaml-1.1' });
  // In flow style, a multi-line string needs double quotes.
  const mustBeQuoted = style.collectionStyle === 'flow' ? UNPRINTABLE_OR_LINES : UNPRINTABLE;
  yaml.visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && mustBeQuoted.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escaped(document.toString({ ...ONE_LINE_TEXTS, ...style }));
}

/** Writes a value on one line, valid inside brackets too. A string gets the quotes of `like`, or none, if possible. */
export function inlineText(yaml: Yaml, value: unknown, like?: Scalar): string {
  if (typeof value !== 'string') return textOf(yaml, value, { collectionStyle: 'flow' }).slice(0, -1);
  if (like?.type === 'QUOTE_SINGLE' && !/[\r\n]/.test(value) && !UNPRINTABLE.test(value)) {
    return `'${value.replaceAll("'", "''")}'`;
  }
  const isPlain = like?.type !== 'QUOTE_DOUBLE' && !/[[\]{},\r\n]/.test(value);
  return isPlain && blockText(yaml, value) === `${value}\n` ? value : escaped(JSON.stringify(value));
}

/** Escapes unprintable characters, which occur only in double quotes, where an escape has the same meaning. */
function escaped(text: string): string {
  return text.replace(new RegExp(UNPRINTABLE, 'g'), (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Writes block style, without wrapping, with exact big integers and a final line feed. */
export async function toYaml(value: unknown): Promise<string> {
  return blockText(await import('yaml'), value);
}
