// `schema`, and the schema hint of a pulled file, checked with an independent validator.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SCHEMA_NAMES } from '../../src/lib/files/json-schema.ts';
import { dsrBody } from '../helpers/dsr.ts';
import { createRolesHome, type RolesHome } from '../helpers/roles-home.ts';
import { SEED } from '../helpers/seed-body.ts';
import { CONNECTION, MODEL, PIPELINE } from '../helpers/sync-definitions.ts';

describe('schema', () => {
  let admin: RolesHome;
  beforeEach(async () => {
    admin = await createRolesHome();
  });
  afterEach(() => admin.close());

  const validator = (schema: object) =>
    new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);

  it.each([...SCHEMA_NAMES])('prints a valid schema for %s', async (name) => {
    const { data, code } = await admin.json<object>(['schema', name]);
    expect(code).toBe(0);
    expect(() => validator(data)).not.toThrow();
  });

  it("writes the schema to the path in a pulled file's hint, and the file matches the schema", async () => {
    await admin.run('roles pull');
    const text = admin.read('roles.yaml');
    const hint = /^# yaml-language-server: \$schema=(.+)$/m.exec(text)?.[1] ?? '';
    expect(existsSync(join(admin.cwd, hint))).toBe(true);
    const validate = validator(JSON.parse(admin.read(hint)) as object);
    expect(validate(parse(text))).toBe(true);
    const invalid = parse(text.replace(/name: Support/, 'nmae: Support')) as unknown;
    expect(validate(invalid)).toBe(false);
  });

  it.each([
    [
      'groups create -f',
      { id: 'family', source_user_attribute: 'home', attributes: [{ id: 'vip', type: 'boolean_or' }] },
    ],
    ['connections create -f', CONNECTION],
    ['data-models create -f', MODEL],
    ['pipelines create -f', PIPELINE],
    ['dsr submit -f', dsrBody()],
    ['dsr submit --bulk', dsrBody()],
    ['seed set -f', SEED],
  ])('allows a $schema field, which %s does not send', async (command, body) => {
    admin.write('named.json', JSON.stringify({ $schema: './named.schema.json', ...body }));
    const { code, stdout, stderr } = await admin.run(`${command} named.json --dry-run -o json`);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^$|deadline that passed/);
    expect(stdout).not.toContain('named.schema.json');
  });

  it('rejects an unknown document type', async () => {
    expect((await admin.run('schema rols')).code).toBe(2);
  });
});
