// A home of one privacy officer, for tests of data subject requests. The platform's clock moves only when a test moves
// it, because requests advance every quarter of an hour.
import { openPlatformHome, type PlatformHome } from './platform-home.ts';

export function createDsrHome(fixtures?: unknown): Promise<PlatformHome> {
  return openPlatformHome({ clock: 'manual', ...(fixtures !== undefined && { fixtures }) });
}
