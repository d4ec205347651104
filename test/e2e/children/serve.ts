// The embedded platform as a separate process, for tests that kill it. Prints its ready line, then serves until it is
// killed.
import { startEmulator } from '../../../src/lib/emulator/index.ts';

const [data] = process.argv.slice(2);
void startEmulator(data === undefined ? {} : { data }).then(({ ready }) => {
  process.stdout.write(`${JSON.stringify(ready)}\n`);
});
