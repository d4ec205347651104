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
 * Starts the platform, and resolves once it responds. Rejects if an option is unknown, the fixtures are invalid, the
 * folder or port is in use, or the state is unreadable. The error has a `code` and a `hint`.
 */
export const startEmulator: (options?: EmulatorOptions) => Promise<Emulator> = embed;

/** Controls a platform that another process started. `controlUrl` is the `control_url` in its ready line. */
export const connectEmulator: (controlUrl: string) => EmulatorControl = connect;
