// Paths of the four folders by platform and environment.
import { describe, expect, it } from 'vitest';
import { resolvePaths } from '../../../../src/lib/config/paths.ts';

describe('resolvePaths', () => {
  it.each([
    [
      'linux',
      {},
      '/home/a',
      ['/home/a/.config/cdpadm', '/home/a/.local/state/cdpadm', '/home/a/.cache/cdpadm', '/home/a/.local/share/cdpadm'],
    ],
    [
      'darwin',
      {},
      '/Users/a',
      [
        '/Users/a/Library/Preferences/cdpadm',
        '/Users/a/Library/Application Support/cdpadm/State',
        '/Users/a/Library/Caches/cdpadm',
        '/Users/a/Library/Application Support/cdpadm/Data',
      ],
    ],
    [
      'darwin',
      { XDG_CONFIG_HOME: '/x' },
      '/Users/a',
      [
        '/x/cdpadm',
        '/Users/a/Library/Application Support/cdpadm/State',
        '/Users/a/Library/Caches/cdpadm',
        '/Users/a/Library/Application Support/cdpadm/Data',
      ],
    ],
    [
      'win32',
      { APPDATA: 'C:\\R', LOCALAPPDATA: 'C:\\L' },
      'C:\\U',
      ['C:\\R\\cdpadm', 'C:\\L\\cdpadm\\State', 'C:\\L\\cdpadm\\Cache', 'C:\\L\\cdpadm\\Data'],
    ],
    [
      'win32',
      {},
      'C:\\U',
      [
        'C:\\U\\AppData\\Roaming\\cdpadm',
        'C:\\U\\AppData\\Local\\cdpadm\\State',
        'C:\\U\\AppData\\Local\\cdpadm\\Cache',
        'C:\\U\\AppData\\Local\\cdpadm\\Data',
      ],
    ],
    [
      'linux',
      { XDG_STATE_HOME: '/s', CDPADM_STATE_DIR: '/own', XDG_CACHE_HOME: '', CDPADM_CACHE_DIR: '' },
      '/h',
      ['/h/.config/cdpadm', '/own', '/h/.cache/cdpadm', '/h/.local/share/cdpadm'],
    ],
    [
      'linux',
      { XDG_DATA_HOME: 'relative' },
      '/h',
      ['/h/.config/cdpadm', '/h/.local/state/cdpadm', '/h/.cache/cdpadm', '/h/.local/share/cdpadm'],
    ],
  ] as const)(
    'resolves the folders on %s with the environment %j',
    (platform, env, home, [config, state, cache, data]) => {
      expect(resolvePaths(env, platform, home)).toEqual({ config, state, cache, data });
    },
  );

  it('uses four different folders on every platform', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      expect(new Set(Object.values(resolvePaths({}, platform, '/h'))).size).toBe(4);
    }
  });
});
