// The JSON Schema of `.cdpadm.yaml`, a repository's shared settings. It allows neither secrets nor trust settings.
import { LIMITED_AREAS } from '../contract/limits.ts';

const address = { type: 'string', format: 'uri', pattern: '^https?://' };
const rate = {
  type: 'string',
  pattern: '^[0-9]+(\\.[0-9]+)?(/[smh])?$',
  description: 'Requests per second, or a rate such as 600/m',
};
const id = { type: ['string', 'integer'], pattern: '^[0-9]+$' };

export const projectFileSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Settings of a project (.cdpadm.yaml)',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    profile: { type: 'string', description: 'The profile to use in this folder and below' },
    base_url: { ...address, description: 'The platform API' },
    auth_url: { ...address, description: 'The token service' },
    dsr_base_url: { ...address, description: 'The data subject request API; the address ends in /v3' },
    seeding_url: { ...address, description: 'The API for seeding and event intake' },
    identity_url: { ...address, description: 'The identity intake API' },
    org_id: id,
    account_id: id,
    workspace_id: id,
    vendor_domain: { type: 'string', description: 'The domain in the key opendsr.{vendor_domain}' },
    environment: { enum: ['development', 'production'] },
    output: {
      enum: ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'markdown', 'name', 'html'],
      description: 'Default for -o',
    },
    protected: { const: true, description: 'Every write requires typing the profile name' },
    access: { const: 'read', description: 'Every write is blocked' },
    limits: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(LIMITED_AREAS.map((area) => [area, rate])),
    },
  },
} as const;
