// Where a text stops being JSON: `JSON.parse` tells the place only for some mistakes, and differently in each version.

const SCALAR_OR_SIGN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end';

/** The offset of the first thing that is not JSON; the text's length when it ends too early; undefined for valid JSON. */
export function jsonErrorOffset(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let position = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  for (;;) {
    position = skipSpace(text, position);
    if (position === text.length) return expected === ', or end' && open.length === 0 ? undefined : position;
    const isString = text[position] === '"';
    const end = isString ? stringEnd(text, position) : scalarEnd(text, position);
    if (end === undefined) return position;
    const sign = /^[{}[\],:]$/.test(text[position] ?? '') ? text[position] : undefined;
    const next = step(expected, isString, sign, open);
    if (next === undefined) return position;
    expected = next;
    position = end;
  }
}

function skipSpace(text: string, from: number): number {
  let position = from;
  while (position < text.length && ' \t\n\r'.includes(text.charAt(position))) position++;
  return position;
}

function scalarEnd(text: string, from: number): number | undefined {
  SCALAR_OR_SIGN.lastIndex = from;
  return SCALAR_OR_SIGN.test(text) ? SCALAR_OR_SIGN.lastIndex : undefined;
}

/** By hand, because a pattern for a string of megabytes overflows the engine's stack. */
function stringEnd(text: string, from: number): number | undefined {
  let position = from + 1;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === 0x22) return position + 1;
    if (code < 0x20) return undefined;
    if (code === 0x5c) {
      ESCAPE.lastIndex = position;
      if (!ESCAPE.test(text)) return undefined;
      position = ESCAPE.lastIndex;
    } else position++;
  }
  return undefined;
}

/** What may follow this token, or undefined when the token itself may not stand here. `sign` is undefined for a value. */
function step(
  expected: Expected,
  isString: boolean,
  sign: string | undefined,
  open: ('{' | '[')[],
): Expected | undefined {
  if (sign === undefined) {
    if (expected === 'value' || expected === 'value or ]') return ', or end';
    return isString && (expected === 'key' || expected === 'key or }') ? ':' : undefined;
  }
  if (sign === '{' || sign === '[') {
    if (expected !== 'value' && expected !== 'value or ]') return undefined;
    open.push(sign);
    return sign === '{' ? 'key or }' : 'value or ]';
  }
  if (sign === ':') return expected === ':' ? 'value' : undefined;
  const innermost = open.at(-1);
  if (sign === ',') {
    if (expected !== ', or end' || innermost === undefined) return undefined;
    return innermost === '{' ? 'key' : 'value';
  }
  const opener = sign === '}' ? '{' : '[';
  const mayClose = expected === ', or end' || expected === (sign === '}' ? 'key or }' : 'value or ]');
  if (innermost !== opener || !mayClose) return undefined;
  open.pop();
  return ', or end';
}
