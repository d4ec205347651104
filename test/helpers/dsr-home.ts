// A home of one privacy officer, for tests of data subject requests: its platform's authority is a file, and its clock
// stands until a test moves it, since what is pending goes on at each quarter of an hour.
import { join } from 'node:path';
import { openPlatformHome, type PlatformHome } from './platform-home.ts';

export function createDsrHome(fixtures?: unknown): Promise<PlatformHome> {
  return openPlatformHome((folder) => ({
    authority: join(folder, 'authority'),
    clock: 'manual' as const,
    ...(fixtures !== undefined && { fixtures }),
  }));
}
