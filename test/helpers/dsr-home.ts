// One privacy officer's home, for tests of data subject requests. The platform's clock moves only when a test moves it,
// because request statuses advance every 15 minutes.
import { openPlatformHome, type PlatformHome } from './platform-home.ts';

export function createDsrHome(fixtures?: unknown): Promise<PlatformHome> {
  return openPlatformHome({ clock: 'manual', ...(fixtures !== undefined && { fixtures }) });
}
