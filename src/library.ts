// The package's entry point: the embedded platform and its control client, for other programs' tests.
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
  StoredProfile,
} from './lib/emulator/base/embedding.ts';

/**
 * Starts the platform, and resolves once it responds. Rejects with an error that has a `code` and a `hint` for an
 * unknown option, invalid fixtures, a folder or port in use, or an unreadable state.
 */
export const startEmulator: (options?: EmulatorOptions) => Promise<Emulator> = embed;

/** Controls a platform that another process started. `controlUrl` is the `control_url` in its ready line. */
export const connectEmulator: (controlUrl: string) => EmulatorControl = connect;
