// A hook that cannot be started must not stop the listener.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { bundleEntry } from '../helpers/bundle.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

it.runIf(process.platform !== 'win32')('reports a hook that lacks file descriptors, and continues', async () => {
  const bundle = await bundleEntry('test/e2e/children/run-hook.ts');
  try {
    const script = 'ulimit -n 64; exec "$0" "$@"';
    const { status, stderr, stdout } = spawnSync(
      'sh',
      ['-c', script, process.execPath, bundle.file, temporaryFolder()],
      {
        encoding: 'utf8',
      },
    );
    expect([status, stdout, stderr]).toEqual([0, 'the command could not be started: spawn true EMFILE', '']);
  } finally {
    bundle.remove();
  }
});
