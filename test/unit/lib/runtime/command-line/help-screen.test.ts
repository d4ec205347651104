// The layout of a help screen: quotes that commander adds are removed, and the description's own quotes are kept.
import { Argument, Command, Option } from 'commander';
import { expect, it } from 'vitest';
import { helpSettings } from '../../../../../src/lib/runtime/command-line/help-screen.ts';

it('keeps the quotes of a description, and removes those around choices and defaults', () => {
  const child = new Command('child');
  new Command('cdpadm').addCommand(child);
  child.configureHelp(helpSettings(() => 100));
  child.addArgument(new Argument('<kind>', 'kind, such as "one"').choices(['one', 'two']));
  child.addOption(new Option('--word <text>', 'word that means "none"').default('NULL').choices(['NULL', '-']));
  child.addOption(new Option('--poll [time]', 'interval').preset(''));
  const lines = child
    .helpInformation()
    .split('\n')
    .map((line) => line.trim().replace(/ {2,}/g, '  '));
  expect(lines).toEqual(
    expect.arrayContaining([
      'kind  kind, such as "one" (choices: one, two)',
      '--word <text>  word that means "none" (choices: NULL, -, default: NULL)',
      '--poll [time]  interval',
    ]),
  );
});
