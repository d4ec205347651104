// A platform with two workspaces and their profiles, for tests of data subject requests.
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { RequestStatusReply } from '../../../../src/lib/contract/dsr.ts';
import type { Failure } from '../../../../src/lib/contract/failures.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { dsrBody, dsrCaller } from '../../../helpers/dsr.ts';
import { type Exchange, startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';

/** The initial time of the platform's clock. */
export const START = '2026-03-01T12:03:00.250Z';
export const FIXTURES = {
  workspaces: [
    { id: 3001, key: 'key-1', secret: 'secret-1' },
    { id: 3002, key: 'key-2', secret: 'secret-2' },
  ],
  profiles: [
    {
      xpid: '-7201284209016359738',
      identities: { email: 'ada@people.example', customer_id: 'c-1', other_id_4: 'four' },
      user_attributes: { city: 'Ulm' },
    },
    { identities: { email: 'noor@people.example', osa_uuid: 'device-1' } },
    { workspace_id: 3002, identities: { email: 'ada@people.example' } },
  ],
  partners: [
    { domain: 'sent.example', name: 'Sent' },
    { domain: 'failed.example', name: 'Failed', status: 'failed', status_message: 'invalid credentials' },
    { domain: 'queued.example', name: 'Queued', status: 'pending' },
    { domain: 'phone.example', name: 'Phone', identity_types: ['mobile_number', 'controller_customer_id'] },
    { domain: 'other.example', name: 'Elsewhere', workspace_id: 3002 },
  ],
};

/** Returns start options with a manual clock. */
export const startOptions = () =>
  ({ clock: 'manual', systemClock: createTestClock(Date.parse(START)), fixtures: FIXTURES }) as const;

/** Credentials of the second workspace. */
export const SECOND = 'key-2:secret-2';

export const erasure = { subject_request_type: 'erasure' };

/** Returns request fields with identities only in the vendor extension. */
export function extension(subject_identities: Record<string, unknown>): Record<string, unknown> {
  return { subject_identities: undefined, extensions: { 'opendsr.platform.example': { subject_identities } } };
}

export interface DsrPlatform {
  readonly emulator: TestEmulator;
  /** Calls the platform, by default with the credentials of the first workspace. */
  dsr: ReturnType<typeof dsrCaller>;
  /** Submits an access request with the given changes and returns its id. */
  create(change?: Record<string, unknown>, as?: string): Promise<string>;
  status(id: string): Promise<RequestStatusReply>;
  /** Returns the stored profiles that match `TYPE=VALUE`. */
  profiles(query: string): Promise<{ workspace_id: number; identities: Record<string, string[]> }[]>;
}

/** Starts one platform for all tests in a file, and resets it before each test. */
export function useDsrPlatform(): DsrPlatform {
  let emulator: TestEmulator;
  beforeAll(async () => {
    emulator = await startTestEmulator(startOptions());
  });
  afterAll(() => emulator.close());
  beforeEach(() => emulator.reset());

  const dsr: DsrPlatform['dsr'] = (...sent) => dsrCaller(emulator)(...sent);
  return {
    get emulator() {
      return emulator;
    },
    dsr,
    create: async (change = {}, as) => {
      const body = dsrBody(change);
      const reply = await dsr('POST', '/requests/', { body, ...(as !== undefined && { as }) });
      if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`);
      return body.subject_request_id;
    },
    status: async (id) => RequestStatusReply.parse((await dsr('GET', `/requests/${id}`)).json),
    profiles: async (query) => (await emulator.send('GET', `/_control/profiles?${query}`)).json as never,
  };
}

export function expectRejection(reply: Exchange, failure: Failure, ...sentences: string[]): void {
  expect([reply.status, reply.json]).toEqual([
    failure.status,
    {
      code: failure.status,
      message: failure.message,
      errors: (sentences.length === 0 ? [failure.message] : sentences).map((message) => ({
        domain: 'subject_request',
        reason: expect.stringMatching(/^[a-z_]+$/) as string,
        message,
      })),
    },
  ]);
}
