// A role administrator's home, for tests of the roles commands.
import type { Role } from '../../src/lib/domain/roles/manifest.ts';
import type { TestEmulator } from './emulator.ts';
import { openPlatformHome, type PlatformHome } from './platform-home.ts';

/** Clears every environment variable that configures the platform. */
export const NO_PLATFORM = Object.fromEntries(
  ['BASE_URL', 'AUTH_URL', 'ORG_ID', 'CLIENT_ID', 'CLIENT_SECRET'].map((name) => [`CDPADM_${name}`, '']),
);

export interface RolesHome extends PlatformHome {
  /** Replaces a string, which the file must contain. */
  edit(file: string, from: string, to: string): void;
  /** The roles on the platform, by id. */
  live(): Promise<Map<string, Role>>;
  /** Number of PUT requests that the platform received. */
  puts(): Promise<number>;
}

/** Creates an administrator's home, on a shared platform if one is given. */
export async function createRolesHome(shared?: TestEmulator, fixtures?: unknown): Promise<RolesHome> {
  const home = await openPlatformHome(fixtures === undefined ? {} : { fixtures }, shared);
  return {
    ...home,
    edit: (file, from, to) => {
      const text = home.read(file);
      if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`);
      home.write(file, text.replace(from, to));
    },
    live: async () => {
      const { stdout } = await home.run('roles list -o json');
      return new Map((JSON.parse(stdout) as Role[]).map((role) => [role.role_id, role]));
    },
    puts: () => home.received('PUT'),
  };
}
