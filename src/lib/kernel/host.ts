// The only file that uses Node's `process`.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

type ProcessSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGWINCH';

// Importing `node:tty` would load the network code (2 ms), and `node:os` would cost 0.2 ms at each start.
const builtin = process.getBuiltinModule.bind(process);

export const host = {
  pid: process.pid,
  platform: process.platform,
  nodeVersion: process.versions.node,
  hostname: (): string => builtin('node:os').hostname(),
  username: (): string => {
    try {
      return builtin('node:os').userInfo().username;
    } catch {
      return '';
    }
  },
  /**
   * Returns the home folder; `/` for a user without a home, such as an arbitrary user id in a container. Ignores an
   * empty or relative HOME, which would make the working directory, such as a cloned repository, provide the settings.
   */
  home: ({ HOME = '' }: NodeJS.ProcessEnv): string => {
    try {
      return builtin('node:path').isAbsolute(HOME) ? HOME : builtin('node:os').userInfo().homedir || '/';
    } catch {
      return '/';
    }
  },
  argv: (): string[] => process.argv.slice(2),
  /** Returns the command that restarts this program: Node and the script, or just the single executable. */
  command: (): [string, ...string[]] => {
    const script = process.argv[1] ?? '';
    return script === process.execPath ? [script] : [process.execPath, script];
  },
  env: (): NodeJS.ProcessEnv => process.env,
  cwd: (): string => process.cwd(),
  uid: (): number | undefined => process.getuid?.(),
  /** True if the file descriptor is a terminal. Does not open a stream, because that takes milliseconds. */
  isTerminal: (fd: 0 | 1 | 2): boolean => isCharacterDevice(fd) && builtin('node:tty').isatty(fd),
  streams: {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
  },
  /** `work` must be synchronous. */
  onExit: (work: () => void): void => void process.once('exit', work),
  setExitCode: (code: number): void => void (process.exitCode = code),
  /** Ends the process without waiting for output or the compiler's threads, which may be waiting for this thread. */
  exitNow: (code: number): never => process.exit(code),
  /** True while a thread resolves a host name or reads a file: `exitNow` would wait for that thread. */
  hasThreadWork: (): boolean =>
    process.getActiveResourcesInfo().some((name) => name === 'GetAddrInfoReqWrap' || name.startsWith('FSReq')),
  /** Ends by the signal, so that a shell reports 128 plus its number. A normal exit aborts if the terminal is gone. */
  endBySignal: (signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM'): void => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  },
  /** Sends the signal to a child's process group. On Windows, which has no process groups, sends it to the child. */
  endGroup: (leader: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void => {
    if (leader === undefined) return;
    try {
      process.kill(process.platform === 'win32' ? leader : -leader, signal);
    } catch {
      // The child has already ended.
    }
  },
  on: (event: ProcessSignal, listener: () => void): void => void process.on(event, listener),
  off: (event: ProcessSignal, listener: () => void): void => void process.off(event, listener),
  /** Ignores Ctrl-C, which the terminal also sends to the child. Returns a function that restores our listeners. */
  leaveInterruptToChild: (): (() => void) => {
    const ours = process.listeners('SIGINT');
    const nothing = (): void => undefined;
    process.on('SIGINT', nothing);
    for (const listener of ours) process.off('SIGINT', listener);
    return () => {
      for (const listener of ours) process.on('SIGINT', listener);
      process.off('SIGINT', nothing);
    };
  },
  onUncaught: (listener: (error: unknown) => void): void => {
    process.on('uncaughtException', listener);
    process.on('unhandledRejection', listener);
  },
  /** True if a process with this id is running on this machine, even for another user. */
  isAlive: (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  },
} as const;

/** A cheap first check: pipes and files are not terminals. */
function isCharacterDevice(fd: number): boolean {
  try {
    return builtin('node:fs').fstatSync(fd).isCharacterDevice();
  } catch {
    // The descriptor is closed.
    return false;
  }
}

/** Size (of both halves) at which `limitHeap` stops the growth of V8's new space, which would otherwise reach 32 MiB. */
const ENOUGH_BYTES = 16 * 1024 * 1024;

/** Keeps V8's heap from growing to four times the live objects' size. Returns false if the heap is still too small. */
export function limitHeap(): boolean {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  if (space === undefined || space.space_size < ENOUGH_BYTES) return false;
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=100');
  return true;
}
