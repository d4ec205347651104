// Builds strings that make a regular expression backtrack: a prefix that leads to a repetition, then the repetition.
import { type AST, parseRegExpLiteral, visitRegExpAST } from '@eslint-community/regexpp';
import { letterTest } from './match-steps.ts';

/** Returns a string with the given number of repetitions. */
export type Growing = (repetitions: number) => string;

/** Characters of every kind. Characters that an expression does not distinguish count as one. */
const LETTERS = [
  ...Array.from('aAf0_-.,:;/ \t\r\n"\'`\\@*=+()[]<>{}#%&|!$~'),
  '\u001b',
  '\u0000',
  'é',
  '\u200b',
  '\u{1f600}',
];
/** Repetitions with at most this maximum are skipped, because they add only a fixed length. */
const SHORT = 8;
/** Maximum length of a fixed repetition that is written out in a string. */
const LONGEST = 40;
/** Maximum number of prefixes for one repetition. */
const MOST_PREFIXES = 12;

/** Returns every growing string for an expression, without duplicates. */
export function adversarialTexts(expression: RegExp): Growing[] {
  const { pattern } = parseRegExpLiteral(expression);
  const letters = distinctLetters(pattern, expression.flags);
  const texts = new Map<string, readonly [string, string, string]>();
  const add = (prefix: string, pump: string, ends: readonly string[]): void => {
    if (pump === '') return;
    for (const end of ends) texts.set(JSON.stringify([prefix, pump, end]), [prefix, pump, end]);
  };
  for (const minimal of [true, false]) {
    const walk = new Walk(expression.flags, minimal, letters);
    walk.alternatives(pattern.alternatives, ['']);
    for (const [prefix, element] of walk.found) {
      const pumps = walk.samples(element);
      // A character that the repetition does not match ends it and usually makes the match fail.
      const ends = ['', ...letters.filter((letter) => !pumps.includes(letter)), 'x\n', '\n\u0000'];
      for (const pump of pumps) {
        add(prefix, pump, ends);
        add('', prefix + pump, ends);
        add(prefix, pump + prefix, ends);
        for (const other of pumps) if (other !== pump) add(prefix, pump + other, ['', '\u0000', '\n']);
      }
      add('', prefix, ends);
    }
  }
  return [...texts.values()].map(
    ([prefix, pump, end]) =>
      (repetitions) =>
        prefix + pump.repeat(repetitions) + end,
  );
}

/** Returns one character of each kind that the expression distinguishes. */
function distinctLetters(pattern: AST.Pattern, flags: string): string[] {
  const tests: ((letter: string) => boolean)[] = [/\w/.test.bind(/\w/), /\n/.test.bind(/\n/)];
  const seen = new Set<string>();
  const collect = (node: AST.Element): void => {
    if (!seen.has(node.raw)) tests.push(letterTest(node, flags));
    seen.add(node.raw);
  };
  visitRegExpAST(pattern, {
    onCharacterEnter: (node) => node.parent.type !== 'CharacterClass' && collect(node as AST.Element),
    onCharacterSetEnter: (node) => node.parent.type !== 'CharacterClass' && collect(node as AST.Element),
    onCharacterClassEnter: (node) => collect(node as AST.Element),
  });
  const kinds = new Map<string, string>();
  for (const letter of LETTERS) {
    const kind = tests.map((isOne) => Number(isOne(letter))).join('');
    if (!kinds.has(kind)) kinds.set(kind, letter);
  }
  return [...kinds.values()];
}

/** Walks through an expression and records the prefixes of each repetition. */
class Walk {
  readonly found: (readonly [string, AST.Element])[] = [];
  readonly #flags: string;
  readonly #minimal: boolean;
  readonly #letters: readonly string[];

  constructor(flags: string, minimal: boolean, letters: readonly string[]) {
    this.#flags = flags;
    this.#minimal = minimal;
    this.#letters = letters;
  }

  /**
   * Records the repetitions inside these alternatives, which follow `prefixes`. Returns the prefixes of the next
   * element.
   */
  alternatives(all: readonly AST.Alternative[], prefixes: readonly string[]): string[] {
    const after = all.flatMap(({ elements }) =>
      elements.reduce((before, element) => this.#element(element, before), [...prefixes]),
    );
    return [...new Set(after)].slice(0, MOST_PREFIXES);
  }

  #element(node: AST.Element, prefixes: string[]): string[] {
    switch (node.type) {
      case 'Quantifier': {
        if (node.max > SHORT) for (const prefix of prefixes) this.found.push([prefix, node.element]);
        const once = this.#element(node.element, prefixes);
        const times = Math.max(node.min, this.#minimal ? 0 : 1);
        if (times === 0) return prefixes;
        let after = once;
        for (let time = 1; time < Math.min(times, LONGEST); time += 1) after = this.#element(node.element, after);
        return after;
      }
      case 'Group':
      case 'CapturingGroup':
        return this.alternatives(node.alternatives, prefixes);
      case 'Assertion': {
        if (node.kind !== 'lookahead' && node.kind !== 'lookbehind') return prefixes;
        const inside = this.alternatives(node.alternatives, prefixes);
        return node.kind === 'lookbehind' && !node.negate ? inside : prefixes;
      }
      default:
        return prefixes.map((prefix) => prefix + (this.samples(node)[0] ?? ''));
    }
  }

  /** Returns short sample strings that an element matches. */
  samples(node: AST.Element): string[] {
    switch (node.type) {
      case 'Quantifier':
        return this.samples(node.element).map((one) => one.repeat(Math.min(Math.max(node.min, 1), LONGEST)));
      case 'Group':
      case 'CapturingGroup':
        return node.alternatives.flatMap(({ elements }) => this.#sequences(elements));
      case 'Assertion':
      case 'Backreference':
        return [];
      case 'Character':
        return [String.fromCodePoint(node.value)];
      default:
        return this.#letters.filter(letterTest(node, this.#flags));
    }
  }

  #sequences(elements: readonly AST.Element[]): string[] {
    const each = elements.map((element) => this.samples(element)).filter((some) => some.length > 0);
    const widest = Math.min(Math.max(0, ...each.map((some) => some.length)), SHORT);
    return Array.from({ length: widest }, (_, index) => each.map((some) => some[index % some.length] ?? '').join(''));
  }
}
