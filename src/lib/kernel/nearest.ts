// "Did you mean" suggestions for mistyped commands, ids, tasks and fields.
import { type Hint, type Hints, usageError } from './errors.ts';

/** Minimum length of a prefix. Many ids and fields share shorter prefixes. */
const LEAST_BEGINNING = 3;

/** Returns the candidate that equals `word`, the only one that begins with it, or the most similar. Ignores case. */
export function nearest(word: string, candidates: Iterable<string>, leastBeginning = LEAST_BEGINNING) {
  const known = [...new Set(candidates)];
  const near = nearlySpelt(word, known);
  const wanted = word.toLowerCase();
  if (near?.toLowerCase() === wanted || word.length < leastBeginning) return near;
  const [begun, ...others] = known.filter((candidate) => candidate.toLowerCase().startsWith(wanted));
  return begun !== undefined && others.length === 0 ? begun : near;
}

/** Returns the candidate with the smallest edit distance: at most 1 or, if larger, 2/5 of the length. Ignores case. */
export function nearlySpelt(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(Math.max(wanted.length, 3) * 0.4)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    const allDiffers = distance >= Math.max(wanted.length, candidate.length);
    if (distance < bestDistance && (!allDiffers || distance === 0)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Returns the end of a message about an unknown word: `; did you mean …?`, or nothing if no word in `known` is near. */
export function didYouMean(word: string, known: Iterable<string>, quote = '`'): string {
  const guess = nearest(word, known);
  return guess === undefined ? '' : `; did you mean ${quote}${guess}${quote}?`;
}

/** Returns the hint for an unknown name: the nearest name in `known`, or `otherwise` if no name is near. */
export function nearestHint(name: string, known: Iterable<string>, otherwise: Hints): Hints {
  const guess = nearest(name, known);
  return guess === undefined ? otherwise : `Did you mean ${guess}?`;
}

/** Returns `sentence`. If a word in `known` is near, a suggestion of that word comes first. */
export function suggest(word: string, known: Iterable<string>, sentence: string, leastBeginning?: number): string {
  const guess = nearest(word, known, leastBeginning);
  return guess === undefined ? sentence : `Did you mean \`${guess}\`? ${sentence}`;
}

export function choiceHint(word: string, allowed: readonly string[]): string {
  return suggest(word, allowed, `Choose from ${allowed.join(', ')}.`);
}

/** Returns the id that equals `text`, or the only id that begins with it. Throws usage (2) for several, and for ''. */
export function findByBeginning(text: string, ids: readonly string[], noun: string, list: Hint): string | undefined {
  if (text === '') throw usageError(`The ${noun} is empty.`, list);
  const [found, ...others] = ids.filter((id) => id.startsWith(text));
  if (found === undefined || others.length === 0) return found;
  if (ids.includes(text)) return text;
  throw usageError(`${others.length + 1} ${noun}s begin with \`${text}\`. Pass more characters.`, list);
}

function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
