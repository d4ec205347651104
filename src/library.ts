// What other programs import from this package: the embedded platform, for their own tests.
import type { Emulator, EmulatorOptions } from './lib/emulator/embedding.ts';
import { embed } from './lib/emulator/embed.ts';

export type { Emulator, EmulatorOptions, EmulatorReady } from './lib/emulator/embedding.ts';

/**
 * Starts the platform and resolves once it answers. Rejects with an error that has a `code` and a `hint`: an option that
 * there is not, invalid fixtures, a folder or port that is taken, a state that cannot be read.
 */
export const startEmulator: (options?: EmulatorOptions) => Promise<Emulator> = embed;
