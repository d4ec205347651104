// A folder of definitions: what is read of it, in which order, and what stands in the way.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readWarehouseDir } from '../../../src/lib/files/warehouse-dir.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const GROUPS = ['connections', 'pipelines'];
const sourceIn = (cwd: string) => ({ cwd, stdin: Readable.from([]) });

it('reads the definitions of each group by name, and nothing else', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'sync', 'pipelines'), { recursive: true });
  for (const name of ['b.yaml', 'a.json', 'c.YML', '.hidden.yaml', 'notes.txt']) {
    writeFileSync(join(cwd, 'sync', 'pipelines', name), '{"id": "x"}');
  }
  const files = await readWarehouseDir('sync', GROUPS, sourceIn(cwd));
  expect(files.map(({ group, path }) => [group, path])).toEqual(
    ['a.json', 'b.yaml', 'c.YML'].map((name) => ['pipelines', join('sync', 'pipelines', name)]),
  );
  expect(files[0]?.document.value).toEqual({ id: 'x' });
});

it('says what is no folder: the directory itself, or one in it', async () => {
  const cwd = temporaryFolder();
  await expect(readWarehouseDir('sync', GROUPS, sourceIn(cwd))).rejects.toMatchObject({ exit: 2 });
  mkdirSync(join(cwd, 'sync'));
  writeFileSync(join(cwd, 'sync', 'pipelines'), '');
  const path = join(cwd, 'sync', 'pipelines');
  await expect(readWarehouseDir('sync', GROUPS, sourceIn(cwd))).rejects.toMatchObject({
    code: 'files.read',
    exit: 1,
    message: `Cannot read ${path}: a part of the path is not a folder.`,
  });
});
