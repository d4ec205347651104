// `--port` of the commands that talk to an embedded platform which is running.
import { Option } from 'commander';

/** For `findEmulator`, which reads it. */
export function portOption(): Option {
  return new Option('--port <n>', 'the one on this port (default: the one started last)');
}
