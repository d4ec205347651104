// How the tour shows the command lines that it runs.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { commandLines } from '../../../../src/commands/tour/stage.ts';

const LONG = 'cdpadm dsr submit --regulation gdpr --type access --identity email=jane@example.com --yes';

it.each([
  ['cdpadm roles list', 10, 'cdpadm roles list'],
  [LONG, LONG.length + 2, LONG],
  [LONG, 58, 'cdpadm dsr submit --regulation gdpr --type access \\\n    --identity email=jane@example.com --yes'],
  [
    LONG,
    38,
    'cdpadm dsr submit --regulation gdpr \\\n    --type access \\\n    --identity email=jane@example.com \\\n    --yes',
  ],
])('%s in %i columns', (line, width, expected) => {
  const shown = commandLines(line, width);
  expect(shown).toBe(expected);
  // A shell reads the same words.
  const words = (text: string): string =>
    execFileSync('sh', ['-c', `cdpadm() { printf '%s|' "$@"; }; ${text}`], { encoding: 'utf8' });
  expect(words(shown)).toBe(words(line));
});
