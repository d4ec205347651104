// Checks with an independent validator that each schema accepts valid documents and rejects invalid ones.
import { VERSION } from '../../../../src/lib/kernel/version.ts';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../../src/lib/contract/openapi.ts';
import { jsonSchemaOf, SCHEMA_NAMES, type SchemaName } from '../../../../src/lib/files/json-schema.ts';
import { dsrBody } from '../../../helpers/dsr.ts';
import { SEED } from '../../../helpers/seed-body.ts';
import { CONNECTION, MODEL, PIPELINE } from '../../../helpers/sync-definitions.ts';

const REQUEST = dsrBody({ api_version: '3.0' });
const ROLE = { role_id: 'support', name: 'Support', description: 'Answers', tasks: ['user:core', { task_id: 'a:b' }] };

const validator = (schema: object) => new Ajv({ strict: false, validateFormats: false }).compile(schema);

/** Each schema with its title, a valid document, and invalid documents. */
const DOCUMENTS: [SchemaName, string, unknown, unknown[]][] = [
  [
    'roles',
    'Custom roles of an organization',
    { roles: [ROLE] },
    [{}, { roles: [{ ...ROLE, name: undefined }] }, { roles: [{ ...ROLE, tasks: [1] }] }],
  ],
  [
    'roles-test',
    'Assertions of `cdpadm roles test`',
    { assertions: [{ each: { max_tasks: 30 } }] },
    [{ only: {} }, [{ only: { task: 'a' } }], [{ each: { max_tasks: -1 } }], [{ sometimes: {} }]],
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

describe.each(DOCUMENTS)('the schema %s', (name, title, valid, invalidDocuments) => {
  it('accepts a valid document and rejects invalid documents', async () => {
    const schema = await jsonSchemaOf(name);
    expect(schema).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#', title });
    const validate = validator(schema);
    expect([validate(valid), validate.errors]).toEqual([true, null]);
    for (const invalid of invalidDocuments) {
      // Drop undefined fields, which a file cannot contain.
      expect([invalid, validate(JSON.parse(JSON.stringify(invalid)))]).toEqual([invalid, false]);
    }
  });
});

it('tests the schema of every document type', () => {
  expect(new Set(DOCUMENTS.map(([name]) => name))).toEqual(new Set(SCHEMA_NAMES.filter((name) => name !== 'openapi')));
});

const NAMED = DOCUMENTS.filter(([, , valid]) => !Array.isArray(valid));
it.each(NAMED)('allows a file to refer to its schema: %s', async (name, _title, valid) => {
  const validate = validator(await jsonSchemaOf(name));
  const withHint = (hint: unknown): unknown => ({ $schema: hint, ...(valid as object) });
  expect([validate(withHint('./schema.json')), validate(withHint(1))]).toEqual([true, false]);
});

it('does not require fields that have a default', async () => {
  const { api_version: _default, ...body } = REQUEST;
  const validate = validator(await jsonSchemaOf('dsr'));
  expect(validate(body)).toBe(true);
});

it('returns the OpenAPI document for the name `openapi`', async () => {
  expect(await jsonSchemaOf('openapi')).toEqual(openApiDocument(VERSION));
});
