// A plain value as YAML for people to edit.
import { blockText } from './yaml-text.ts';

/** In block style, nothing wrapped, big integers exact; ends in a line feed. */
export async function toYaml(value: unknown): Promise<string> {
  return blockText(await import('yaml'), value);
}
