// Tries to create a folder where the system does not allow it.
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { bundleEntry } from '../helpers/bundle.ts';

it.runIf(process.platform === 'linux')('gives up if the folder cannot be created', async () => {
  // Runs in a separate process, because an endless loop would block this one.
  const { file, remove } = await bundleEntry('src/lib/kernel/temporary-file.ts');
  onTestFinished(remove);
  const code = `import(${JSON.stringify(pathToFileURL(file).href)})
    .then((it) => it.makeFolder('/proc/none/below'))
    .catch((error) => console.log(error.code))`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    timeout: 100_000,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
  });
  expect(signal).toBeNull();
  expect(stdout).toBe('ENOENT\n');
});
