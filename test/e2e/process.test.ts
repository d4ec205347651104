// The built program as a process: its streams, signals and exit codes without a terminal.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, constants, existsSync, openSync, readFileSync, writeFile, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliHome, createCliHome } from '../helpers/cli.ts';
import { PROGRAM } from '../helpers/root.ts';

let home: CliHome;
let children: ChildProcess[];
beforeEach(() => {
  home = createCliHome();
  children = [];
});
afterEach(async () => {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  // A running child would write files to the folder that is being deleted.
  await Promise.all(running.map((child) => (child.kill('SIGKILL'), once(child, 'exit'))));
  home.remove();
});

interface Ended {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** Resolves when standard output contains the text. */
  printed(text: string): Promise<void>;
}

function run(command: string, args: string[], input?: 'open' | 'closed'): Running {
  const child = spawn(command, args, {
    cwd: home.cwd,
    env: { PATH: process.env.PATH, CDPADM: `${process.execPath} ${PROGRAM}`, ...home.env },
    stdio: [input === 'open' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk: Buffer) => {
      text[name] += chunk.toString('utf8');
    });
  }
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...text }));
  });
  const printed = (wanted: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (text.stdout.includes(wanted)) resolve();
      };
      child.stdout?.on('data', look);
      void ended.then(({ stderr }) => reject(new Error(`ended without saying ${wanted}: ${stderr}`)));
      look();
    });
  return { child, ended, printed };
}

const cdpadm = (args: string[], input?: 'open' | 'closed'): Running => run(process.execPath, [PROGRAM, ...args], input);
const shell = (script: string): Running => run('/bin/sh', ['-c', script]);

describe('standard output', () => {
  test('causes exit code 0 and no message if its reader closes it early', async () => {
    const script = '{ $CDPADM help flags; echo "code $?" >&2; } | true';
    const { stderr } = await shell(script).ended;
    expect(stderr).toBe('code 0\n');
  });

  test('delivers a result larger than the pipe buffer, even to a late reader', async () => {
    const local = ['--profile', 'local', '-o', 'json'];
    const { stdout: text } = await cdpadm(['roles', 'list', ...local]).ended;
    const tasks = [
      'rules:*',
      'audiences:*',
      'catalog:*',
      'live_stream:view',
      'connections:configure_inputs',
      'data_plans:*',
    ].map((task_id) => ({ task_id }));
    const added = Array.from({ length: 90 }, (_, index) => {
      return { role_id: `r${index}`, name: `Role ${index}`, description: 'd'.repeat(256), tasks };
    });
    const roles = [...(JSON.parse(text) as object[]), ...added];
    writeFileSync(join(home.cwd, 'roles.json'), JSON.stringify({ roles }));
    expect((await cdpadm(['roles', 'push', 'roles.json', '--force', '--yes', ...local]).ended).code).toBe(0);
    // The shell's `read` blocks the writer, because it reads byte by byte until the end of the first line.
    const reader = `{ read -r first; printf '%s\\n' "$first"; cat; }`;
    const { stdout } = await shell(`$CDPADM roles list ${local.join(' ')} | ${reader}`).ended;
    expect(stdout.length).toBeGreaterThan(65_536);
    expect(JSON.parse(stdout)).toHaveLength(roles.length);
  });

  test.skipIf(!existsSync('/dev/full'))('causes exit code 1 and an error on a full disk', async () => {
    const { stderr, stdout } = await shell('$CDPADM help flags > /dev/full; echo $?').ended;
    expect(stdout).toBe('1\n');
    expect(stderr).toContain('the disk is full');
    expect((await shell('$CDPADM --help > /dev/full; echo $?').ended).stdout).toBe('1\n');
  });

  test.runIf(existsSync('/dev/stdout'))('can be the --out file of a user who cannot write to /dev', async () => {
    const user = process.getuid?.() === 0 ? 'setpriv --reuid=65534 --clear-groups ' : '';
    const outs = `${user}/bin/sh -c '$CDPADM help flags --out /dev/stdout | cat; $CDPADM help flags --out /dev/null'`;
    const { stderr, stdout } = await shell(outs).ended;
    expect(stderr).toBe('Written to /dev/stdout.\nWritten to /dev/null.\n');
    expect(stdout).toContain('These flags work with every command');
  });

  test('does not cause a crash if it is closed before the start', async () => {
    const { stdout } = await shell('$CDPADM help flags >&- 2>/dev/null; echo $?').ended;
    expect(stdout).toMatch(/^[01]\n$/);
  });
});

describe('a prompt without a terminal', () => {
  test.each(['open', 'closed'] as const)('is a usage error if standard input is %s', async (input) => {
    expect((await cdpadm(['roles', 'pull', '--profile', 'local']).ended).code).toBe(0);
    const file = join(home.cwd, 'roles.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('name: User\n', 'name: Renamed\n'));
    const { code, stdout, stderr } = await cdpadm(['roles', 'push', '--profile', 'local'], input).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--yes');
  });
});

describe('a server', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('stops on %s with exit code %i', async (signal, code) => {
    const { child, ended, printed } = cdpadm(['emulator', 'start', '--memory', '--port', '0']);
    await printed('is ready');
    child.kill(signal);
    expect(await ended).toMatchObject({ code, signal: null });
    expect((await cdpadm(['emulator', 'env']).ended).code).toBe(5);
  });

  test('is no longer found after SIGKILL, and does not block later commands', async () => {
    const { child, ended, printed } = cdpadm(['emulator', 'start', '--port', '0']);
    await printed('is ready');
    child.kill('SIGKILL');
    await ended;
    expect((await cdpadm(['emulator', 'env']).ended).code).toBe(5);
    expect((await cdpadm(['roles', 'list', '--profile', 'local']).ended).code).toBe(0);
  });
});

describe('an endless input', () => {
  /** More bytes than fit in a pipe's buffer: once they are written, the program is reading. */
  const OVER_PIPE_SIZE = Buffer.from('\n'.repeat(400_000));

  const untilRead = (child: ChildProcess): Promise<void> =>
    new Promise((resolve, reject) => {
      child.stdin?.on('error', () => undefined);
      child.stdin?.write(OVER_PIPE_SIZE, (error) => (error ? reject(error) : resolve()));
    });

  test.each([
    ['SIGINT', 130, 'roles validate -'],
    ['SIGTERM', 143, 'roles validate -'],
    ['SIGINT', 130, 'seed validate - --format ndjson'],
    ['SIGTERM', 143, 'seed bulk - --format ndjson --dry-run --profile local'],
    ['SIGINT', 130, 'dsr submit -f - --yes --profile local'],
    ['SIGTERM', 143, 'dsr prepare - --out prepared.csv --profile local'],
    ['SIGINT', 130, 'api POST /v2/events -f - --yes --profile local'],
  ] as const)('is interrupted by %s with exit code %i: %s', async (signal, code, line) => {
    const { child, ended } = cdpadm(line.split(' '), 'open');
    await untilRead(child);
    child.kill(signal);
    expect(await ended).toMatchObject({ code, signal: null, stdout: '' });
  });

  test('is interrupted when the terminal is closed', async () => {
    const { child, ended } = cdpadm(['roles', 'validate', '-'], 'open');
    await untilRead(child);
    child.kill('SIGHUP');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGHUP', stdout: '' });
    expect((await ended).stderr).toContain('The terminal was closed.');
  });

  test('is interrupted at --timeout with exit code 11', async () => {
    const { ended } = cdpadm(['roles', 'validate', '-', '--timeout', '100ms'], 'open');
    expect(await ended).toMatchObject({ code: 11, signal: null, stdout: '' });
  });

  describe.skipIf(process.platform === 'win32')('from a named pipe', () => {
    const named = (): string => {
      const path = join(home.cwd, 'pipe');
      execFileSync('mkfifo', [path]);
      return path;
    };

    test('is interrupted by a signal if the pipe has a writer', async () => {
      const pipe = openSync(named(), constants.O_RDWR);
      const { child, ended } = cdpadm(['roles', 'validate', 'pipe']);
      await promisify(writeFile)(pipe, OVER_PIPE_SIZE);
      child.kill('SIGINT');
      expect(await ended).toMatchObject({ code: 130, signal: null, stdout: '' });
      closeSync(pipe);
    });

    test.each(['roles validate pipe', 'dsr submit -f pipe --yes --profile local'])(
      'is interrupted at --timeout if the pipe has no writer: %s',
      async (line) => {
        named();
        const { ended } = cdpadm([...line.split(' '), '--timeout', '100ms']);
        expect(await ended).toMatchObject({ code: 11, signal: null, stdout: '' });
      },
    );

    test('is read until it closes, even if the writer starts later', async () => {
      const path = named();
      const { ended } = cdpadm(['roles', 'validate', 'pipe', '-o', 'json']);
      await promisify(writeFile)(path, Buffer.concat([OVER_PIPE_SIZE, Buffer.from('roles: 5\n')]));
      const { code, stderr } = await ended;
      expect(code).toBe(9);
      expect(JSON.parse(stderr)).toMatchObject({ error: { issues: [{ path: 'roles', line: 400_001 }] } });
    });

    test.each(['dsr submit --bulk pipe', 'dsr prepare pipe --out prepared.csv', 'seed bulk pipe'])(
      'is rejected if the command reads the input twice: %s',
      async (line) => {
        named();
        const { code, stderr } = await cdpadm([...line.split(' '), '--profile', 'local']).ended;
        expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('< pipe') as string });
      },
    );
  });
});

describe.skipIf(process.platform === 'win32')('a deleted working directory', () => {
  const inDeletedFolder = (line: string): Running =>
    shell(`mkdir gone && cd gone && rmdir ../gone && { $CDPADM ${line}; echo "code $?"; }`);

  test('is reported with a fix, including in JSON', async () => {
    const { stdout, stderr } = await inDeletedFolder('roles list --profile local').ended;
    expect(stdout).toBe('code 2\n');
    expect(stderr).toContain('The working directory was removed.');
    expect(stderr).toContain('with cd');
    const { stderr: json } = await inDeletedFolder('roles list --profile local -o json').ended;
    expect(JSON.parse(json)).toMatchObject({ error: { code: 'usage' } });
  });

  test.each(['--version', '--help', 'help exit-codes'])('does not affect %s', async (line) => {
    const { stdout, stderr } = await inDeletedFolder(line).ended;
    expect(stdout).toMatch(/code 0\n$/);
    expect(stderr).toBe('');
  });
});

test('runs concurrent commands on the embedded platform, all with the same result', async () => {
  const all = await Promise.all(
    Array.from({ length: 4 }, () => cdpadm(['roles', 'list', '--profile', 'local', '-o', 'json']).ended),
  );
  expect(all.map(({ code, stderr }) => ({ code, stderr }))).toEqual(all.map(() => ({ code: 0, stderr: '' })));
  expect(new Set(all.map(({ stdout }) => stdout)).size).toBe(1);
});

describe('the program for a user without a home folder or an entry in passwd', () => {
  const uid = 54_321;
  const runs = (line: string, env: NodeJS.ProcessEnv): Promise<Ended> => {
    chownSync(home.folder, uid, uid);
    const words = ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', 'env', '-i'];
    const variables = Object.entries({ PATH: process.env.PATH, ...env }).map(([name, value]) => `${name}=${value}`);
    return run('setpriv', [...words, ...variables, process.execPath, PROGRAM, ...line.split(' ')]).ended;
  };

  describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('(needs root)', () => {
    test.each(['--version', 'roles --help', 'profile list', 'log'])('runs %s', async (line) => {
      const { code, stderr } = await runs(line, {});
      expect(code, stderr).toBe(0);
    });

    test('writes to the folders given in the environment', async () => {
      const { HOME: _home, ...folders } = home.env;
      const create = 'profile create mine --org 1 --account 1 --base-url http://localhost:9 --yes';
      for (const line of [
        create,
        'roles list --profile local',
        'roles delete audiences-only-role --profile local --yes --allow-delete',
      ]) {
        const { code, stderr } = await runs(line, folders);
        expect(code, stderr).toBe(0);
      }
      const { stdout } = await runs('log -o json', folders);
      expect(JSON.parse(stdout)).toMatchObject([{ command: 'roles delete' }]);
    });
  });
});
