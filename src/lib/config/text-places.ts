// Finds the line of a value in a JSON or YAML text. Loaded only for errors.
import type { Node, Pair } from 'yaml';
import { type Place, placeAt } from '../kernel/errors.ts';

/** Returns the place of the key or item at a path, or of the nearest value around it. JSON is also YAML. */
export async function placeFinder(text: string): Promise<(path: readonly (string | number)[]) => Place> {
  const { isMap, isScalar, isSeq, parseDocument } = await import('yaml');
  const root = parseDocument(text, { prettyErrors: false }).contents as Node | null;
  return (path) => {
    let node: Node | null | undefined = root;
    let offset = 0;
    for (const segment of path) {
      let next: Node | null | undefined;
      if (isMap(node)) {
        const pairs = node.items as Pair<Node, Node | null>[];
        const pair: Pair<Node, Node | null> | undefined = pairs.find(
          ({ key }) => isScalar(key) && String(key.value) === String(segment),
        );
        offset = pair?.key.range?.[0] ?? offset;
        next = pair?.value;
      } else if (isSeq(node)) {
        next = node.items[Number(segment)] as Node | undefined;
        offset = next?.range?.[0] ?? offset;
      }
      if (!next) break;
      node = next;
    }
    return placeAt(text, offset);
  };
}

/** The places of duplicate keys. */
export async function repeatedKeys(text: string): Promise<Place[]> {
  const { parseDocument } = await import('yaml');
  const { errors } = parseDocument(text, { prettyErrors: false });
  return errors.filter(({ code }) => code === 'DUPLICATE_KEY').map(({ pos }) => placeAt(text, pos[0]));
}
