// An incomplete command line is split as the shell splits it, but is not evaluated.
import { describe, expect, test } from 'vitest';
import { readLine, unquote } from '../../../../../src/lib/runtime/completion/answer.ts';

const BREAKS = ' \t\n"\'><=;|&(:';

test('treats a backtick as an ordinary character in shells without backtick substitution', () => {
  expect(readLine('cdpadm x `y z', 'cdpadm')).toMatchObject({ words: ['x', '`y'], current: { text: 'z' } });
});

describe('readLine', () => {
  test.each<[string, string[], string]>([
    ['cdpadm ', [], ''],
    ['cdpadm ro', [], 'ro'],
    ['cdpadm roles get ', ['roles', 'get'], ''],
    ['cdpadm  roles\t get  x', ['roles', 'get'], 'x'],
    ['cdpadm "roles" \'get\' ad"min"', ['roles', 'get'], 'admin'],
    ['cdpadm roles \\\n  get x', ['roles', 'get'], 'x'],
    ['cdpadm roles who-can audiences:\\*', ['roles', 'who-can'], 'audiences:*'],
    ['cdpadm a "b \\" c" \'d \\\' e', ['a', 'b " c', 'd \\'], 'e'],
    ['cd x && FOO=1 sudo -u me cdpadm roles g', ['roles'], 'g'],
    ['cdpadm roles list | cdpadm gr', [], 'gr'],
    ['echo $(cdpadm gr', [], 'gr'],
    ['cdpadm roles get $(touch x', ['touch'], 'x'],
    ['cdpadm x "$(touch y)', ['x'], '$(touch y)'],
    ['cdpadm x "$(cdpadm gr', ['x'], '$(cdpadm gr'],
    ['cdpadm x "$(echo "a b")" y', ['x', '$(echo "a b")'], 'y'],
    ['cdpadm x "(y)" ', ['x', '(y)'], ''],
    ['cdpadm roles get $(echo x) ', ['roles', 'get', '$(echo x)'], ''],
    ['cdpadm --profile a$(cat x | sort; date)b roles ', ['--profile', 'a$(cat x | sort; date)b', 'roles'], ''],
    ['cdpadm x $(echo $(date)) y', ['x', '$(echo $(date))'], 'y'],
    ['cdpadm x $(echo $((1 + 2))) y', ['x', '$(echo $((1 + 2)))'], 'y'],
    ["cdpadm x '$(' y", ['x', '$('], 'y'],
    ['cdpadm x `echo x y` z', ['x', '`echo x y`'], 'z'],
    ['cdpadm x `cdpadm gr', [], 'gr'],
    ['(cd x; cdpadm gr', [], 'gr'],
    ['(cd x) && cdpadm gr', [], 'gr'],
    ['case x in x) cdpadm gr', [], 'gr'],
  ])('splits %j', (line, words, current) => {
    const read = readLine(line, 'cdpadm', { hasBackticks: true });
    expect(read.current.text).toBe(current);
    expect(read.words).toEqual(words);
  });

  test.each<[string, string, number]>([
    ['cdpadm audiences:vi', '', 'audiences:'.length],
    ['cdpadm --task=audiences:vi', '', '--task=audiences:'.length],
    ['cdpadm audiences\\:vi', '', 0],
    ['cdpadm "audiences:vi', '"', 0],
    ["cdpadm --task='audiences:vi", "'", '--task='.length],
    ['cdpadm "audiences":vi', '', 'audiences:'.length],
    ['cdpadm "audi"en', '', 'audi'.length],
  ])('replaces the current word in %j from the position at which bash starts to replace it', (line, quote, kept) => {
    expect(readLine(line, 'cdpadm', { breaks: BREAKS }).current).toMatchObject({ quote, kept });
  });
});

test.each([
  ['a\\:b', 'a:b'],
  ['"a b"', 'a b'],
  ["'$(x)'", '$(x)'],
  ['a$(x y)', 'a$(x y)'],
  ['`x y`', '`x y`'],
  ['', ''],
])('unquotes %j', (typed, text) => {
  expect(unquote(typed)).toBe(text);
});

test('reads a line with very many open parentheses in linear time', () => {
  expect(readLine(`cdpadm ${'('.repeat(300_000)}roles `, 'cdpadm').words).toEqual(['roles']);
});
