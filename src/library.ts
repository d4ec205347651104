// What other programs import from this package: the embedded platform, for their own tests.
export { startEmulator } from './lib/emulator/index.ts';
export type { Emulator, EmulatorOptions, EmulatorReady } from './lib/emulator/index.ts';
