// The console page, which shows the platform's state and controls its clock, faults and callbacks.
import { readFile } from 'node:fs/promises';
import { neutralWords } from '../contract/neutral-words.ts';
import { formatDuration, isoMillis } from '../kernel/timestamps.ts';
import type { ControlRoutes } from './platform/area.ts';
import type { RunningPlatform } from './open-platform.ts';
import { newestRows } from './state.ts';
import { type Answer, answer } from './wire/platform-error.ts';

/** The page loads nothing from other hosts, and other pages cannot show it in a frame. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Maximum number of rows sent for each table: one more than the page shows, to detect whether there are more. */
const MOST_ROWS = 201;

/** Console page files, served under `/ui`. The build copies them next to the chunk that contains this module. */
const FILES = ['page.html', 'page.css', 'page.js', 'control.js', 'dom.js', 'traffic.js', 'views.js'];
const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' };

export function consoleRoutes(platform: RunningPlatform): ControlRoutes {
  const files = FILES.map((name) => [
    name === 'page.html' ? 'GET /ui' : `GET /ui/${name}`,
    async (): Promise<Answer> => ({
      status: 200,
      text: await readFile(new URL(`./console/${name}`, import.meta.url), 'utf8'),
      headers: { ...HEADERS, 'content-type': `${TYPES[name.split('.')[1] as 'js']}; charset=utf-8` },
    }),
  ]);
  return {
    ...(Object.fromEntries(files) as ControlRoutes),
    'GET /ui/state': () => answer(200, stateOf(platform), HEADERS),
  };
}

function stateOf(platform: RunningPlatform) {
  const { areas, clock, faults, names, profiles } = platform;
  const ahead = clock.ahead();
  const due = areas.flatMap(({ area, open }) => {
    const at = open.nextDue?.();
    return at === undefined ? [] : [{ area: area.name, at }];
  });
  return {
    now: isoMillis(clock.now()),
    clock: `${clock.mode} clock${Math.abs(ahead) < 1000 ? '' : `, ${ahead < 0 ? '' : '+'}${formatDuration(ahead)}`}`,
    due: due.sort((a, b) => a.at - b.at).map(({ area, at }) => ({ area, at: isoMillis(at) })),
    faults: faults.list(),
    counts: profiles.counts(),
    words: Object.fromEntries([...(names.empty ? [] : neutralWords())].map((word) => [word, names.toWire(word)])),
    tables: newestRows(platform, MOST_ROWS),
  };
}
