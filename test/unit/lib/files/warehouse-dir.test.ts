// A folder of definitions: which files are read, their order, errors, and changes to a file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readWarehouseDir, withChangedFields } from '../../../../src/lib/files/warehouse-dir.ts';
import { inputSource } from '../../../helpers/input-source.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const GROUPS = ['connections', 'pipelines'];
const sourceIn = (cwd: string) => inputSource(cwd);

it('reads the definitions in each subfolder in the order of their file names, and no other files', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'sync', 'pipelines'), { recursive: true });
  for (const name of ['c.YML', 'b.yaml', 'a.json', '.hidden.yaml', 'notes.txt', 'd.yaml.bak']) {
    writeFileSync(join(cwd, 'sync', 'pipelines', name), '{"id": "x"}');
  }
  const files = await readWarehouseDir('sync', GROUPS, sourceIn(cwd));
  expect(files.map(({ group, path }) => [group, path])).toEqual(
    ['a.json', 'b.yaml', 'c.YML'].map((name) => ['pipelines', join('sync', 'pipelines', name)]),
  );
  expect(files[0]?.document.value).toEqual({ id: 'x' });
});

it('rejects a missing folder, and a file in place of a folder', async () => {
  const cwd = temporaryFolder();
  await expect(readWarehouseDir('sync', GROUPS, sourceIn(cwd))).rejects.toMatchObject({
    code: 'usage',
    message: 'sync does not exist.',
    hint: 'To create it: cdpadm warehouse export sync',
  });
  writeFileSync(join(cwd, 'file'), '');
  await expect(readWarehouseDir('file', GROUPS, sourceIn(cwd))).rejects.toMatchObject({
    code: 'usage',
    message: 'file is not a folder.',
  });
  for (const [dir, message] of [
    ['sync', 'sync does not exist.'],
    ['file', 'file is not a folder.'],
  ] as const) {
    await expect(readWarehouseDir(dir, GROUPS, sourceIn(cwd), true)).rejects.toMatchObject({
      message,
      hint: expect.stringContaining('to --overlay') as string,
    });
  }
  mkdirSync(join(cwd, 'sync'));
  writeFileSync(join(cwd, 'sync', 'pipelines'), '');
  const path = join(cwd, 'sync', 'pipelines');
  await expect(readWarehouseDir('sync', GROUPS, sourceIn(cwd))).rejects.toMatchObject({
    code: 'files.read',
    message: `Cannot read ${path}: a part of the path is not a folder.`,
  });
});

it('changes values in YAML and keeps comments, order and every digit', async () => {
  const yaml =
    'name: A # ours\nconfig: {old: 1, id: 9007199254740993}\n\n# when\nschedule:\n  type: interval\nno: no\n';
  const changes = { 'config.old': { to: null }, 'schedule.type': { to: 'once' }, name: { to: 'B' } };
  expect(await withChangedFields(yaml, 'yaml', changes)).toBe(
    'name: B # ours\nconfig: {id: 9007199254740993}\n\n# when\nschedule:\n  type: once\nno: no\n',
  );
  const long = `text: ${'a word and '.repeat(20)}end\n`;
  expect(await withChangedFields(long, 'yaml', {})).toBe(long);
});

it('changes values in JSON and keeps every digit, and CRLF line ends', async () => {
  const json = '{"name": "A", "config": {"old": 1, "id": 9007199254740993}}';
  expect(await withChangedFields(json, 'json', { 'config.old': { to: null }, name: { to: 'B' } })).toBe(
    '{\n  "name": "B",\n  "config": {\n    "id": 9007199254740993\n  }\n}\n',
  );
  expect(await withChangedFields('{\r\n  "name": "A"\r\n}\r\n', 'json', { name: { to: 'B' } })).toBe(
    '{\r\n  "name": "B"\r\n}\r\n',
  );
});
