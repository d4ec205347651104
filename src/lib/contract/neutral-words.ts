// The specification's neutral words that a deployment may replace with its own.
import { didYouMean } from '../kernel/nearest.ts';
import { CONNECTION_CONFIGS, SERVICE_PROVIDERS } from './connections.ts';
import { DEVICE_IDENTITY_TYPES, EXTENSION_IDENTITY_TYPES, REQUEST_IDENTITY_TYPES } from './identities.ts';
import { checkNames, type NamesMap } from './names.ts';

let found: ReadonlySet<string> | undefined;

/** Returns the identity types, the warehouse providers and the fields of their connections. */
export function neutralWords(): ReadonlySet<string> {
  return (found ??= new Set([
    ...Object.entries(REQUEST_IDENTITY_TYPES).flat(),
    ...EXTENSION_IDENTITY_TYPES,
    ...DEVICE_IDENTITY_TYPES,
    ...SERVICE_PROVIDERS,
    ...Object.values(CONNECTION_CONFIGS).flatMap((config) => Object.keys(config._zod.def.shape)),
  ]));
}

/** True for a neutral word, or a prefix of one (`osa_*`). */
export function isNeutralName(key: string): boolean {
  const name = key.replace(/^<(.*)>$/, '$1');
  if (!name.endsWith('*')) return neutralWords().has(name);
  return [...neutralWords()].some((word) => word.startsWith(name.slice(0, -1)));
}

/** Returns the problems in a names map, including unknown words. */
export function namesIssues(names: NamesMap): { name: string; message: string }[] {
  const strange = Object.keys(names).filter((name) => !isNeutralName(name));
  return [
    ...strange.map((name) => {
      const end = didYouMean(name.replace(/[<*>]/g, ''), neutralWords());
      return { name, message: `is not a neutral word in the specification${end}` };
    }),
    ...checkNames(names),
  ];
}
