// Counts the steps of a backtracking search, so that a test can distinguish linear from quadratic expressions.
import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp';

/** Continues a match at a position; returns false to backtrack to the last choice. */
type Next = (at: number) => boolean;
/** The text is an array of character codes. */
type Matcher = (text: readonly number[], at: number, next: Next) => boolean;

class TooManySteps extends Error {}

/**
 * Returns a function that counts the steps of a search for `expression` in a text from every position, up to `limit`.
 * The search caches and skips nothing, so a backtracking engine never needs more steps.
 */
export function countSteps(expression: RegExp, limit: number): (text: string) => number {
  const { pattern } = parseRegExpLiteral(expression);
  let steps = 0;
  const step = (): void => {
    if (++steps > limit) throw new TooManySteps();
  };
  const match = either(pattern.alternatives, expression.flags, step);
  return (text) => {
    const letters = codesOf(text, expression.unicode);
    steps = 0;
    try {
      let end = 0;
      const found = (to: number): boolean => ((end = to), true);
      for (let at = 0; at <= letters.length; at += 1) {
        step();
        // A global search continues after each match.
        if (match(letters, at, found) && end > at) at = end - 1;
      }
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error;
    }
    return steps;
  };
}

function codesOf(text: string, byCodePoint: boolean): number[] {
  const codes: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = (byCodePoint ? text.codePointAt(at) : text.charCodeAt(at)) ?? 0;
    codes.push(code);
    if (code > 0xffff) at += 1;
  }
  return codes;
}

function either(alternatives: readonly AST.Alternative[], flags: string, step: () => void): Matcher {
  const all = alternatives.map(({ elements }) => sequence(elements, flags, step));
  return (text, at, next) => {
    for (const one of all) if (one(text, at, next)) return true;
    return false;
  };
}

function sequence(elements: readonly AST.Element[], flags: string, step: () => void): Matcher {
  const parts: Matcher[] = [];
  for (let index = 0; index < elements.length; index += 1) {
    const run = elements.slice(index).findIndex((element) => !isLetter(element));
    const end = run === -1 ? elements.length : index + run;
    const element = elements[index];
    // Most of the time is spent on runs of letters, so a run is treated as one part.
    if (end > index + 1) parts.push(letterRun(elements.slice(index, end), flags, step));
    else if (element) parts.push(part(element, flags, step));
    index = Math.max(index, end - 1);
  }
  const last = parts.pop() ?? ((_text, at, next) => next(at));
  return parts.reduceRight<Matcher>(
    (rest, first) => (text, at, next) => first(text, at, (to) => rest(text, to, next)),
    last,
  );
}

/** Matches letters one after another. */
function letterRun(elements: readonly AST.Element[], flags: string, step: () => void): Matcher {
  const tests = elements.map((element) => codeTest(element, flags));
  return (text, at, next) => {
    let to = at;
    for (const isOne of tests) {
      step();
      const code = text[to];
      if (code === undefined || !isOne(code)) return false;
      to += 1;
    }
    return next(to);
  };
}

function part(node: AST.Element, flags: string, step: () => void): Matcher {
  switch (node.type) {
    case 'Assertion':
      return assertion(node, flags, step);
    case 'Group':
    case 'CapturingGroup':
      return either(node.alternatives, flags, step);
    case 'Quantifier':
      return repeated(node, flags, step);
    case 'Backreference':
      throw new Error(`An expression may have no backreference: ${node.raw}`);
    default:
      return letterRun([node], flags, step);
  }
}

/** Like `letterTest`, but for character codes. */
function codeTest(node: AST.Element, flags: string): (code: number) => boolean {
  const isOne = letterTest(node, flags);
  const known: boolean[] = [];
  const others = new Map<number, boolean>();
  return (code) => {
    let found = code < 256 ? known[code] : others.get(code);
    if (found === undefined) {
      found = isOne(String.fromCodePoint(code));
      if (code < 256) known[code] = found;
      else others.set(code, found);
    }
    return found;
  };
}

/** True if a class, a set or a literal of an expression matches a character. */
export function letterTest(node: AST.Element, flags: string): (letter: string) => boolean {
  const expression = new RegExp(`^(?:${node.raw})$`, flags.replace(/[gmy]/g, ''));
  const known = new Map<string, boolean>();
  return (letter) => {
    const found = known.get(letter) ?? expression.test(letter);
    known.set(letter, found);
    return found;
  };
}

function assertion(node: AST.Assertion, flags: string, step: () => void): Matcher {
  if (node.kind === 'lookahead') {
    const inner = either(node.alternatives, flags, step);
    return (text, at, next) => inner(text, at, () => true) !== node.negate && next(at);
  }
  if (node.kind === 'lookbehind') {
    const inner = either(node.alternatives, flags, step);
    return (text, at, next) => {
      let found = false;
      // A lookbehind is short and bounded, so every start within its bound is tried.
      for (let from = at; from >= Math.max(0, at - 8) && !found; from -= 1) {
        found = inner(text, from, (to) => to === at);
      }
      return found !== node.negate && next(at);
    };
  }
  const place = new RegExp(node.raw, `${flags.replace(/[gy]/g, '')}y`);
  const isHere = new Map<number, boolean>();
  return (text, at, next) => {
    step();
    // An anchor depends only on adjacent characters; `x` replaces characters further away.
    const [before, after] = [text[at - 1], text[at]];
    const around =
      ((before ?? -1) + 1) * 2 ** 24 + ((after ?? -1) + 1) * 4 + (at > 1 ? 2 : 0) + (at < text.length - 1 ? 1 : 0);
    let found = isHere.get(around);
    if (found === undefined) {
      const start = `${at > 1 ? 'x' : ''}${letterOf(before)}`;
      place.lastIndex = start.length;
      found = place.test(`${start}${letterOf(after)}${at < text.length - 1 ? 'x' : ''}`);
      isHere.set(around, found);
    }
    return found && next(at);
  };
}

function letterOf(code: number | undefined): string {
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** True if the element matches exactly one character. */
function isLetter({ type }: AST.Element): boolean {
  return type === 'Character' || type === 'CharacterSet' || type === 'CharacterClass';
}

function repeated(node: AST.Quantifier, flags: string, step: () => void): Matcher {
  const { min, max, greedy } = node;
  if (greedy && isLetter(node.element)) {
    const isOne = codeTest(node.element, flags);
    return (text, at, next) => {
      let to = at;
      for (; to - at < max; to += 1) {
        step();
        const code = text[to];
        if (code === undefined || !isOne(code)) break;
      }
      for (; to - at >= min; to -= 1) {
        step();
        if (next(to)) return true;
      }
      return false;
    };
  }
  const one = part(node.element, flags, step);
  const more = (text: readonly number[], at: number, next: Next, count: number): boolean => {
    const again = (): boolean =>
      count < max && one(text, at, (to) => (to > at || count < min) && more(text, to, next, count + 1));
    if (count < min) return again();
    return greedy ? again() || next(at) : next(at) || again();
  };
  return (text, at, next) => more(text, at, next, 0);
}
