// Where in a JSON or YAML text a value stands, so that an issue can name its line. Loaded and used on failure only.
import type { Node, Pair } from 'yaml';
import { type Place, placeAt } from '../kernel/text-place.ts';

/**
 * Finds values by their path from the root: the key where there is one, else the item; the nearest thing around it
 * when nothing is there. JSON is read as the YAML that it also is.
 */
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

/** The places of keys that stand a second time in the same object. */
export async function repeatedKeys(text: string): Promise<Place[]> {
  const { parseDocument } = await import('yaml');
  const { errors } = parseDocument(text, { prettyErrors: false });
  return errors.filter(({ code }) => code === 'DUPLICATE_KEY').map(({ pos }) => placeAt(text, pos[0]));
}
