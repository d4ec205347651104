// What other programs import from this package: the embedded platform, for their own tests.
import type { Emulator, EmulatorOptions } from './lib/emulator/embedding.ts';
import { startEmulator as start } from './lib/emulator/index.ts';

export type { Emulator, EmulatorOptions, EmulatorReady } from './lib/emulator/embedding.ts';

/**
 * Starts the platform and resolves once it answers. Rejects with an error that has a `code` and a `hint`: invalid
 * fixtures, a folder or port that is taken, a state that cannot be read.
 */
export const startEmulator: (options?: EmulatorOptions) => Promise<Emulator> = start;
