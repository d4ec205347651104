// Tests how the tour wraps command lines.
import { expect, it } from 'vitest';
import { commandLines } from '../../../src/commands/tour/stage.ts';
import { shellWords } from '../../helpers/shell-words.ts';

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
])('breaks `%s` only before flags, for a width of %i columns', (line, width, expected) => {
  const shown = commandLines(line, width);
  expect(shown).toBe(expected);
  // A shell joins lines that end with a backslash.
  expect(shellWords(shown.replaceAll('\\\n', ''))).toEqual(shellWords(line));
});
