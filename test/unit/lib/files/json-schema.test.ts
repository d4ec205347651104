// The schema of each document, by an independent validator: it takes what is right and refuses what is wrong.
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../../src/lib/contract/openapi.ts';
import { jsonSchemaOf, SCHEMA_NAMES, type SchemaName } from '../../../../src/lib/files/json-schema.ts';
import { VERSION } from '../../../../src/lib/kernel/version.ts';
import { dsrBody } from '../../../helpers/dsr.ts';
import { SEED } from '../../../helpers/seed-body.ts';
import { CONNECTION, MODEL, PIPELINE } from '../../../helpers/sync-definitions.ts';

const REQUEST = dsrBody({ api_version: '3.0' });
const ROLE = { role_id: 'support', name: 'Support', description: 'Answers', tasks: ['user:core', { task_id: 'a:b' }] };

const validator = (schema: object) => new Ajv({ strict: false, validateFormats: false }).compile(schema);

/** A good document of each, its title, and the same with a mistake. */
const DOCUMENTS: [SchemaName, string, unknown, unknown[]][] = [
  [
    'roles',
    'Custom roles of an organization',
    { roles: [ROLE] },
    [{}, { roles: [{ ...ROLE, name: undefined }] }, { roles: [{ ...ROLE, tasks: [1] }] }],
  ],
  [
    'config',
    'Settings of a project (.cdpadm.yaml)',
    { profile: 'ci', org_id: '7', base_url: 'https://platform.example', limits: { groups: '90/m' } },
    [
      { client_secret: 'x' },
      { org_id: 'seven' },
      { base_url: 'ftp://platform.example' },
      { limits: { groups: 'much' } },
    ],
  ],
  [
    'group',
    'A group definition',
    { id: 'family', source_user_attribute: 'home', attributes: [{ id: 'vip', type: 'boolean_or' }] },
    [{ id: 'family' }, { id: 'family', source_user_attribute: 'home', attributes: [{ id: 'vip', type: 'median' }] }],
  ],
  ['dsr', 'A data subject request', REQUEST, [[REQUEST], { ...REQUEST, regulation: 'none' }]],
  ['dsr-bulk', 'Data subject requests, one or a list', REQUEST, [[{ ...REQUEST, regulation: 'none' }], 'erasure']],
  ['dsr-bulk', 'Data subject requests, one or a list', [REQUEST, REQUEST], [[REQUEST, 1]]],
  ['connection', 'A warehouse connection', CONNECTION, [{ ...CONNECTION, service_provider: 'PROVIDER_X' }]],
  ['data-model', 'A data model', MODEL, [{ ...MODEL, type: 'table' }]],
  ['pipeline', 'A pipeline', PIPELINE, [{ ...PIPELINE, sync_mode: { type: 'sometimes' } }]],
  ['seed', 'The seeds of one user', SEED, [{ ...SEED, environment: 'test' }, [SEED]]],
];

describe.each(DOCUMENTS)('%s', (name, title, right, mistakes) => {
  it('takes what is right, and refuses what is wrong', async () => {
    const schema = await jsonSchemaOf(name);
    expect(schema).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#', title });
    const validate = validator(schema);
    expect([validate(right), validate.errors]).toEqual([true, null]);
    for (const wrong of mistakes) {
      // What is undefined does not come in a file.
      expect([wrong, validate(JSON.parse(JSON.stringify(wrong)))]).toEqual([wrong, false]);
    }
  });
});

it('has a row here for every document', () => {
  expect(new Set(DOCUMENTS.map(([name]) => name))).toEqual(new Set(SCHEMA_NAMES.filter((name) => name !== 'openapi')));
});

const NAMED = DOCUMENTS.filter(([name]) => name !== 'dsr-bulk');
it.each(NAMED)('a file may name the schema of %s itself', async (name, _title, right) => {
  const validate = validator(await jsonSchemaOf(name));
  const hinted = (hint: unknown): unknown => ({ $schema: hint, ...(right as object) });
  expect([validate(hinted('./schema.json')), validate(hinted(1))]).toEqual([true, false]);
});

it('the schema of a body says what may come in: a default need not be there', async () => {
  const { api_version: _default, ...body } = REQUEST;
  const validate = validator(await jsonSchemaOf('dsr'));
  expect(validate(body)).toBe(true);
});

it('openapi is the whole contract', async () => {
  expect(await jsonSchemaOf('openapi')).toEqual(openApiDocument({ version: VERSION }));
});
