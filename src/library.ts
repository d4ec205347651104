// The package's entry for other programs: the embedded platform and its control client, for their tests.
import { connectEmulator as connect } from './lib/emulator/client.ts';
import type { Emulator, EmulatorControl, EmulatorOptions } from './lib/emulator/base/embedding.ts';
import { embed } from './lib/emulator/embed.ts';

export type {
  Callback,
  Emulator,
  EmulatorControl,
  EmulatorFixtures,
  EmulatorIdentity,
  EmulatorOptions,
  EmulatorReady,
  Fault,
  LoggedRequest,
  RecordedRequest,
  RoleAssignment,
  StoredCounts,
} from './lib/emulator/base/embedding.ts';

/**
 * Starts the platform and resolves once it answers. Rejects with an error that has a `code` and a `hint`: for an unknown
 * option, invalid fixtures, a folder or port in use, or an unreadable state.
 */
export const startEmulator: (options?: EmulatorOptions) => Promise<Emulator> = embed;

/** Controls a platform that another process started, by the `control_url` of its ready line. */
export const connectEmulator: (controlUrl: string) => EmulatorControl = connect;
