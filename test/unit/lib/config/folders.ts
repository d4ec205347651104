// A temporary configuration folder and the options that the config modules need.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Keychain } from '../../../../src/lib/config/secrets.ts';
import type { SecretsOptions } from '../../../../src/lib/config/secrets.ts';
import { systemClock } from '../../../../src/lib/kernel/clock.ts';
import { createRedactor } from '../../../../src/lib/kernel/redact.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

/** A secret that must never appear in output. */
export const CANARY = 'canary-Zq7/x+1';

/** Creates a folder with this settings file. */
export function folderWith(settings: unknown): string {
  const folder = temporaryFolder();
  const text = typeof settings === 'string' ? settings : JSON.stringify(settings, undefined, 2);
  writeFileSync(join(folder, 'config.json'), text, { mode: 0o600 });
  return folder;
}

export function memoryKeychain(): Keychain & { entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    get: async (entry) => entries.get(entry),
    set: async (entry, secret) => {
      entries.set(entry, secret);
    },
    remove: async (entry) => {
      entries.delete(entry);
    },
  };
}

export function secretsOptions(folder: string, more: Partial<SecretsOptions> = {}): SecretsOptions {
  return { folder, env: {}, clock: systemClock, redactor: createRedactor(), ...more };
}
