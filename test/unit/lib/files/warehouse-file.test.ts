// A definition with its SQL in a separate file.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderOf, withSqlText } from '../../../../src/lib/files/warehouse-dir.ts';
import { inputSource } from '../../../helpers/input-source.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const read = (value: Record<string, unknown>, folder: string) => withSqlText(value, folder, inputSource('/nowhere'));

it("resolves paths against the file's folder, or against the working directory for standard input", () => {
  expect(folderOf('sync/model.yaml', '/home')).toBe('/home/sync');
  expect(folderOf('model.yaml', '/home')).toBe('/home');
  expect(folderOf('/a/model.yaml', '/home')).toBe('/a');
  expect(folderOf('-', '/home')).toBe('/home');
});

it('replaces the path with the SQL text and keeps all other fields', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'sql'));
  writeFileSync(join(folder, 'sql', 'a.sql'), '\ufeffSELECT 1\n');
  const value = { name: 'A', config: { sql_file: 'sql/a.sql', primary_key: 'id' } };
  const wanted = { value: { name: 'A', config: { primary_key: 'id', sql_query: 'SELECT 1\n' } }, issues: [] };
  expect(await read(value, folder)).toEqual(wanted);
  expect(await read({ ...value, config: { ...value.config, sql_file: join(folder, 'sql/a.sql') } }, '/')).toEqual(
    wanted,
  );
  expect(value.config.sql_file).toBe('sql/a.sql');
});

it.each([[{}], [{ config: null }], [{ config: 'sql_file' }], [{ config: {} }], [{ config: { sql_query: 'x' } }]])(
  'leaves %j unchanged',
  async (value) => {
    const found = await read(value, '/');
    expect(found.value).toBe(value);
    expect(found.issues).toEqual([]);
  },
);

it('returns null for the query if the SQL file is set to null', async () => {
  const { value, issues } = await read({ config: { sql_file: null } }, '/');
  expect(value).toEqual({ config: { sql_query: null } });
  expect(issues).toEqual([]);
});

it('ignores a path inherited from the prototype', async () => {
  const config = Object.create({ sql_file: '/etc/hostname' }) as object;
  expect((await read({ config }, '/')).issues).toEqual([]);
});

it.each<[Record<string, unknown>, string]>([
  [{ sql_file: 7 }, 'must be a path'],
  [{ sql_file: ' \n' }, 'must be a path'],
  [{ sql_file: 'a.sql', sql_query: '' }, 'conflicts with sql_query; set only one of them'],
  [{ sql_file: 'gone.sql' }, '{folder}/gone.sql: no such file'],
])('reports the issue in %j with the path of the field', async (config, message) => {
  const folder = temporaryFolder();
  const value = { config };
  const found = await read(value, folder);
  expect(found.value).toBe(value);
  expect(found.issues).toEqual([
    {
      path: ['config', 'sql_file'],
      message: message.startsWith('{folder}') ? `Cannot read ${message.replace('{folder}', folder)}` : message,
    },
  ]);
});

it.each(['../key', 'link.sql', '../common.sql', 'inside.txt'])(
  "reads only SQL files outside the definition's folder: %s",
  async (path) => {
    const folder = temporaryFolder();
    const inner = join(folder, 'data-models');
    mkdirSync(inner);
    for (const name of ['key', 'common.sql', 'data-models/inside.txt']) writeFileSync(join(folder, name), 'SELECT 1');
    symlinkSync('../key', join(inner, 'link.sql'));
    const { issues } = await read({ config: { sql_file: path } }, inner);
    const isRefused = path === '../key' || path === 'link.sql';
    expect(issues.map(({ message }) => message)).toEqual(
      isRefused ? [`${path} leads outside this file's folder, where only .sql files can be read`] : [],
    );
  },
);
