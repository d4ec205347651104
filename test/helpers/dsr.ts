// Data subject requests for tests: bodies, and calls to the embedded platform with a workspace's credentials.
import { randomUUID } from 'node:crypto';
import type { IdentityEntry } from '../../src/lib/contract/dsr.ts';
import { basicAuth, type Exchange, type SendOptions, type TestEmulator } from './emulator.ts';

export const raw = (value: string): IdentityEntry => ({ value, encoding: 'raw' });

/** Returns a GDPR access request for one email address, with the fields in `change` added or replaced. */
export function dsrBody(
  change: Record<string, unknown> = {},
): Record<string, unknown> & { subject_request_id: string } {
  return {
    regulation: 'gdpr',
    subject_request_id: randomUUID(),
    subject_request_type: 'access',
    submitted_time: '2026-02-27T09:00:00Z',
    subject_identities: { email: raw('ada@people.example') },
    ...change,
  };
}

/** Request fields that skip an erasure's waiting period. */
export const SKIP = { extensions: { 'opendsr.platform.example': { skip_waiting_period: true } } };

/**
 * Returns a function that sends requests under `/v3` with the first workspace's credentials, or with the credentials in
 * `as`.
 */
export function dsrCaller({ ready, send }: TestEmulator) {
  const own = `${ready.workspace_key}:${ready.workspace_secret}`;
  return (method: string, path: string, options: SendOptions & { as?: string } = {}): Promise<Exchange> => {
    const { as = own, headers, ...rest } = options;
    return send(method, `/v3${path}`, { ...rest, headers: { ...basicAuth(as), ...headers } });
  };
}
