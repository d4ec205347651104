// Valid and slightly damaged JSON.
import fc from 'fast-check';

const DAMAGE = ['', ',', '"', '}', ']', '{', '[', ':', 'x', '0', '-', '.', 'e', '\\', '\n', '\u0000', '\ufeff', ' '];

/** Generates JSON, usually with one character replaced, removed or inserted. */
export function damagedJson(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom(...DAMAGE), fc.constantFrom(0, 1))
    .map(([text, at, damage, removed]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + damage + text.slice(place + removed);
    });
}

export function parsesAsJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
