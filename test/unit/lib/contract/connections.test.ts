// Tests connections in the wire format: issues in a request, required secrets, and deployment-specific names.
import { expect, test } from 'vitest';
import {
  connectionsEndpoints,
  ConnectionRequest,
  needsSecret,
  SECRET_CONFIG_FIELDS,
  SERVICE_PROVIDERS,
} from '../../../../src/lib/contract/connections.ts';
import { createWireNames } from '../../../../src/lib/contract/names.ts';
import { CONNECTION } from '../../../helpers/sync-definitions.ts';
import { issuesOf } from './issues.ts';

test('reports every issue in a request with its position', () => {
  const config = { provider: 'acme', schema: '', password: 'x' };
  expect(issuesOf(ConnectionRequest, CONNECTION)).toEqual([]);
  expect(issuesOf(ConnectionRequest, { ...CONNECTION, id: 'a b', config }).sort()).toEqual([
    'config.password: unknown field `password`',
    'config.schema: is empty',
    'id: may contain only letters, digits, `_` and `-`',
  ]);
  expect(issuesOf(ConnectionRequest, { ...CONNECTION, service_provider: 'other', config })).toEqual([
    'service_provider: must be `PROVIDER_A`, `PROVIDER_B`, `PROVIDER_C` or `PROVIDER_D`',
  ]);
});

test('applies deployment-specific names to providers and prefixed fields', () => {
  const names = createWireNames({ PROVIDER_C: 'cluster', 'cloud_*': 'sky_' });
  const connection = { id: 'a', service_provider: 'PROVIDER_C', config: { cloud_iam_role_arn: 'cloud_x', host: 'h' } };
  const wire = { id: 'a', service_provider: 'cluster', config: { sky_iam_role_arn: 'cloud_x', host: 'h' } };
  const { create, list } = connectionsEndpoints;
  expect(names.encode(connection, create.names?.body ?? [])).toEqual(wire);
  expect(names.decode([wire], list.names?.reply ?? [])).toEqual([connection]);
});

test.each(SERVICE_PROVIDERS)('requires the same secrets for %s as its request schema', (service_provider) => {
  const issues = issuesOf(ConnectionRequest, { ...CONNECTION, service_provider, config: {} });
  for (const field of SECRET_CONFIG_FIELDS) {
    const isMissing = issues.some((issue) => issue.startsWith(`config.${field}: `));
    expect(needsSecret(service_provider, field)).toBe(isMissing);
  }
  expect(issues.length).toBeGreaterThan(1);
});

test("does not require a secret for a field that is not one of the provider's secrets", () => {
  expect(needsSecret('PROVIDER_A', 'user')).toBe(false);
  expect(needsSecret('PROVIDER_Z', 'password')).toBe(false);
  expect(needsSecret(undefined, 'password')).toBe(false);
});
