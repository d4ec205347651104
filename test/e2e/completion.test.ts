// Tab completion in real shells on a real terminal: the program receives the right words, and no typed text is
// evaluated.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SHELLS } from '../../src/commands/completion/scripts.ts';
import { openKnownIds } from '../../src/lib/config/known-ids.ts';
import { type CliHome, createCliHome, runCli } from '../helpers/cli.ts';
import { KEY, openTerminal, type Terminal } from '../helpers/pty.ts';
import { PROGRAM } from '../helpers/root.ts';

let home: CliHome;
let env: Record<string, string>;

beforeAll(async () => {
  home = createCliHome();
  const bin = join(home.folder, 'bin');
  mkdirSync(bin);
  // Forwards completion requests to the program. Any other call prints its arguments.
  writeFileSync(
    join(bin, 'cdpadm'),
    `#!/bin/sh\n[ "$1" = __complete ] && exec "${process.execPath}" "${PROGRAM}" "$@"\nprintf GOT; printf '<%s>' "$@"; echo\n`,
  );
  chmodSync(join(bin, 'cdpadm'), 0o755);
  const xdg = join(home.folder, 'xdg');
  env = {
    ...home.env,
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    CDPADM_PROFILE: 'local',
    XDG_CONFIG_HOME: xdg,
    XDG_DATA_HOME: xdg,
    HISTFILE: '/dev/null',
    TERM: 'xterm',
  };
  const known = openKnownIds(join(home.folder, 'cache'), { profile: 'local' });
  known.replace('role_id', ['admin-role', 'user-role', 'user-two', "o'role $(touch named)"]);
  known.replace('task_id', ['rules:*', 'audiences:view', 'audiences:*']);
  for (const shell of SHELLS) {
    const { stdout } = await runCli(['completion', shell]);
    writeFileSync(join(home.folder, `cdpadm.${shell}`), stdout);
  }
  writeFileSync(join(home.cwd, 'definition.yaml'), '');
});
afterAll(() => home.remove());

/** Commands that start each shell without user settings and prepare it for our script. */
const SHELLS_TRIED = {
  bash: { start: 'exec bash --norc --noprofile -i', prepare: 'PS1=@' },
  // zsh expands words, including substitutions, before it calls a completion script.
  zsh: { start: 'exec zsh -f -i', prepare: 'PS1=@; autoload -U compinit; compinit -D -u; bindkey "^I" complete-word' },
  fish: { start: 'exec fish --no-config -i', prepare: 'function fish_prompt; printf @; end' },
} as const;
type Tried = keyof typeof SHELLS_TRIED;

async function openShell(shell: Tried): Promise<Terminal> {
  const { start, prepare } = SHELLS_TRIED[shell];
  const terminal = openTerminal([], { env, cwd: home.cwd, columns: 200, shell: start });
  terminal.type(`${prepare}; source ${join(home.folder, `cdpadm.${shell}`)}; echo rea''dy${KEY.enter}`);
  await terminal.waitFor('ready');
  return terminal;
}

describe.each(Object.keys(SHELLS_TRIED) as Tried[])('%s', (shell) => {
  const isThere = spawnSync(shell, ['-c', 'exit 0']).status === 0;
  const name = isThere ? '' : ` (skipped: ${shell} is not installed here)`;

  test.skipIf(!isThere)(`completes words on Tab${name}`, async () => {
    const terminal = await openShell(shell);
    for (const [typed, got] of [
      ['cdpadm rol\tge\tadm\t', '<roles><get><admin-role>'],
      ['cdpadm roles get user-t\t--outp\tndj\t', '<roles><get><user-two><--output><ndjson>'],
      ['cdpadm roles list --output=ndj\t', '<roles><list><--output=ndjson>'],
      ['cdpadm roles who-can rul\t', '<roles><who-can><rules:*>'],
      ['cdpadm roles who-can audiences:v\t', '<roles><who-can><audiences:view>'],
      ['cdpadm roles who-can "audiences:v\t', '<roles><who-can><audiences:view>'],
      ['cdpadm groups create -f def\t', '<groups><create><-f><definition.yaml>'],
      ['cdpadm dsr submit --identity ema\tme@example.com', '<dsr><submit><--identity><email=me@example.com>'],
      ["cdpadm roles get o\\'\t", "<roles><get><o'role $(touch named)>"],
      ['cd . && cdpadm profile show loc\t', '<profile><show><local>'],
      ['cdpadm schema output rol\thist\t', '<schema><output><roles><history>'],
      ['cdpadm roles list --fields role_id,na\t', '<roles><list><--fields><role_id,name>'],
      ['cdpadm pipelines create --schedule on_\t', '<pipelines><create><--schedule><on_demand>'],
      ['cdpadm auth login --workspace-key keych\tpartner', '<auth><login><--workspace-key><keychain:partner>'],
      // The substitution's result is unknown, and a guess would offer wrong values.
      ['cdpadm roles $(echo get) rol\t', '<roles><get><rol>'],
    ] as const) {
      terminal.type(`${typed}${KEY.enter}`);
      expect(`${typed} ${await terminal.waitForOne([`GOT${got}`, 'GOT<'])}`).toBe(`${typed} GOT${got}`);
    }
    expect(existsSync(join(home.cwd, 'named'))).toBe(false);
  });

  test.skipIf(!isThere)(`evaluates nothing that the user types${name}`, async () => {
    const terminal = await openShell(shell);
    for (const typed of [
      'cdpadm roles get $(touch typed)',
      'cdpadm roles get "$(touch typed)"',
      'cdpadm roles get `touch typed`',
      'cdpadm roles get "`touch typed`"',
      'cdpadm --profile "$(touch typed)" roles get ',
      'cdpadm --task=$(touch typed)',
      `cdpadm $\{x:=$(touch typed)}`,
      'cdpadm roles get x; touch typed',
    ]) {
      terminal.type(`${typed}\t${KEY.clearLine}echo sti''ll here${KEY.enter}`);
      await terminal.waitFor('still here');
      expect(existsSync(join(home.cwd, 'typed')), typed).toBe(false);
    }
  });
});

test('prints a PowerShell script that has balanced brackets and registers a completer for cdpadm', async () => {
  const { stdout } = await runCli(['completion', 'powershell']);
  for (const [open, close] of ['{}', '()', '[]'] as const) {
    expect(stdout.split(open ?? '').length).toBe(stdout.split(close ?? '').length);
  }
  expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName cdpadm');
});
