// A plain value as YAML for people to edit.
import { blockText } from './yaml-text.ts';

/** Nothing wrapped, big integers exact. */
export async function toYaml(value: unknown): Promise<string> {
  return blockText(await import('yaml'), value);
}
