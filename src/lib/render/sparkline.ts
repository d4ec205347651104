// The last runs of a pipeline as one line of signs and words.
import type { RunReply } from '../contract/pipeline-runs.ts';
import { oldestFirst, recordsOf, statusCounts } from '../domain/warehouse/runs.ts';
import { cleanLine } from './clean.ts';

/** More runs would not fit on a line with their words. */
const SHOWN = 24;
const BLOCKS = { levels: '▁▂▃▄▅▆▇█', failed: '×', other: '·' };
const PLAIN = { levels: '_.-=#', failed: 'x', other: '~' };

/** Whether to use only ASCII signs: a dumb terminal, a screen reader, a locale other than UTF-8. */
export function wantsPlainSigns(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.TERM === 'dumb' || env.CDPADM_ACCESSIBLE) return true;
  return !/utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}

/**
 * One sign for each of the newest runs, oldest first. The height of a successful run shows its records.
 * `Last 3 runs: ▁█×  2 success, 1 failed; 0 to 900 records`. Empty without runs.
 */
export function runSparkline(runs: readonly RunReply[], plain: boolean): string {
  const signs = plain ? PLAIN : BLOCKS;
  const shown = oldestFirst(runs).slice(-SHOWN);
  if (shown.length === 0) return '';
  const records = shown.filter(({ status }) => status === 'success').map((run) => recordsOf(run).successful);
  const most = Math.max(1, ...records);
  const line = shown.map((run) => {
    if (run.status === 'failed') return signs.failed;
    if (run.status !== 'success') return signs.other;
    return signs.levels.charAt(Math.round((recordsOf(run).successful / most) * (signs.levels.length - 1)));
  });
  const [least, greatest] = [Math.min(...records), Math.max(...records)];
  const each = records.length > 1 ? ' each' : '';
  const range = least === greatest ? `; ${least} records${each}` : `; ${least} to ${greatest} records`;
  return `Last ${shown.length === 1 ? 'run' : `${shown.length} runs`}: ${line.join('')}  ${cleanLine(statusCounts(shown))}${records.length === 0 ? '' : range}`;
}
