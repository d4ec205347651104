// A home of one privacy officer, for tests of data subject requests: its platform's authority is a file.
import { join } from 'node:path';
import { openPlatformHome, type PlatformHome } from './platform-home.ts';

export function createDsrHome(fixtures?: unknown): Promise<PlatformHome> {
  return openPlatformHome((folder) => ({
    authority: join(folder, 'authority'),
    ...(fixtures !== undefined && { fixtures }),
  }));
}
