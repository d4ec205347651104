// The process we run in: the only file that touches Node's `process`.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

export interface HostStreams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

// `node:tty` brings the network along (2 ms) and `node:os` costs 0.2 ms: every command would pay at its start.
const builtin = process.getBuiltinModule.bind(process);

export const host = {
  pid: process.pid,
  platform: process.platform,
  nodeVersion: process.versions.node,
  hostname: (): string => builtin('node:os').hostname(),
  /** The name of the user who runs us; empty where the system does not know one. */
  username: (): string => {
    try {
      return builtin('node:os').userInfo().username;
    } catch {
      return '';
    }
  },
  argv: (): string[] => process.argv.slice(2),
  /** The file that Node was started with. */
  script: (): string => process.argv[1] ?? '',
  env: (): NodeJS.ProcessEnv => process.env,
  cwd: (): string => process.cwd(),
  execPath: process.execPath,
  /** The numeric user id; undefined where the system has none (Windows). */
  uid: (): number | undefined => process.getuid?.(),
  /** Whether file descriptor 0, 1 or 2 is a terminal, without opening its stream (which costs milliseconds). */
  isTerminal: (fd: 0 | 1 | 2): boolean => isCharacterDevice(fd) && builtin('node:tty').isatty(fd),
  /** The standard streams. Each is opened at first access. */
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
  } satisfies HostStreams as HostStreams,
  /** `work` must be synchronous. */
  onExit: (work: () => void): void => void process.once('exit', work),
  setExitCode: (code: number): void => {
    process.exitCode = code;
  },
  /**
   * Ends the process, whatever is still open. Node alone would first wait for the compiler's threads, which may wait for
   * this one. What a stream has not handed over is lost.
   */
  exitNow: (code: number): never => process.exit(code),
  /** Whether a thread resolves a host name or reads a file: `exitNow` waits for it. */
  hasThreadWork: (): boolean =>
    process.getActiveResourcesInfo().some((name) => name === 'GetAddrInfoReqWrap' || name.startsWith('FSReq')),
  /**
   * Ends the process as the signal would have, which a shell tells by 128 and its number. Where the terminal is gone, Node
   * aborts at an ordinary end, because it cannot set the terminal right again.
   */
  endBySignal: (signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM'): void => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  },
  /** Ends a child and all that it started in its process group. Windows has no groups: there only the child ends. */
  endGroup: (leader: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void => {
    if (leader === undefined) return;
    try {
      process.kill(process.platform === 'win32' ? leader : -leader, signal);
    } catch {
      // It has ended by itself.
    }
  },
  on: (event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGWINCH', listener: () => void): void => {
    process.on(event, listener);
  },
  off: (event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGWINCH', listener: () => void): void => {
    process.off(event, listener);
  },
  /**
   * While a child has the terminal, Ctrl-C is the child's alone, although the terminal sends it to both. Gives back how
   * to end that.
   */
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
  /** Whether a process with this id lives on this machine. A process of another user counts as alive. */
  isAlive: (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  },
} as const;

/** A cheap first question: a pipe or a file is certainly no terminal. */
function isCharacterDevice(fd: number): boolean {
  try {
    return builtin('node:fs').fstatSync(fd).isCharacterDevice();
  } catch {
    // The descriptor is closed.
    return false;
  }
}

/** Of all that is new, in both of the halves between which V8 copies what is still in use. */
const ENOUGH_BYTES = 8 * 1024 * 1024;

/**
 * Stops the growth of the space for new objects once it is large enough. V8 doubles it the more has survived, up to
 * 32 MB, so that a long run takes more memory than a short one although it holds no more. Called now and then.
 */
export function holdYoungSpace(): void {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  if (space !== undefined && space.space_size >= ENOUGH_BYTES) setFlagsFromString('--semi-space-growth-factor=1');
}
