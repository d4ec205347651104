// C. Data subject requests: create, read, list, cancel, discovery, results and callbacks (specification, C).
import {
  API_VERSION,
  dsrEndpoints,
  DsrRequest,
  extensionKey,
  PROCESSOR_DOMAIN_HEADER,
  SIGNATURE_HEADER,
  SubjectRequestId,
  type CreateReply,
} from '../../contract/dsr.ts';
import { parseWith } from '../../contract/explain.ts';
import { DSR_FAILURES } from '../../contract/failures.ts';
import { OTHER_SPELLING } from '../../contract/dsr-rules.ts';
import { REQUEST_IDENTITY_TYPES } from '../../contract/identities.ts';
import { hasControlCharacter } from '../../contract/shared.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { acceptBody, readJson } from '../wire/request-body.ts';
import { defineArea, type OpenArea, type PlatformRequest, type Platform } from '../platform/area.ts';
import { workspaceOf } from '../platform/auth.ts';
import { callbackRoutes, createCallbackDispatcher } from '../callbacks/dispatcher.ts';
import { cancelReply, rejectBody, statusReply } from '../dsr/answers.ts';
import { createDsrLife, RESULTS_MS } from '../dsr/life.ts';
import { answer, reject } from '../wire/platform-error.ts';
import { createRateLimit } from '../wire/rate.ts';
import { SERVICE_PATHS } from '../wire/service-paths.ts';
import { callbacksMigration, createCallbackStore } from '../stores/callbacks.ts';
import { createDsrStore, dsrMigration, historyMigration, hasResults, type StoredRequest } from '../stores/dsr.ts';

export const dsrArea = defineArea({
  name: 'dsr',
  endpoints: dsrEndpoints,
  migrations: [dsrMigration + callbacksMigration, historyMigration],
  open: openDsr,
});

type Call = PlatformRequest<unknown>;

function openDsr(platform: Platform): OpenArea<typeof dsrEndpoints> {
  const { db, clock, fixtures, signing } = platform;
  const domain = fixtures.processor_domain;
  const store = createDsrStore(db);
  const callbacks = createCallbackStore(db);
  const life = createDsrLife(platform, store, callbacks);
  const dispatcher = createCallbackDispatcher(callbacks, platform);
  const signer = () => signing.signer(domain);
  // An earlier process may have stopped while sending callbacks, so queue them again.
  callbacks.update({ state: 'sending' }, { state: 'queued' });
  // A restart resets the count, which covers only one minute.
  const rate = createRateLimit(fixtures.limits.dsr_per_minute, clock, (seconds) =>
    reject(DSR_FAILURES.rateLimited, [], { 'Retry-After': seconds }),
  );

  const baseOf = ({ header }: Call): string => platform.addressOf(header('host'));
  const dsrBase = (call: Call): string => baseOf(call) + SERVICE_PATHS.dsr;

  /** Counts a call and returns its workspace. Throws 429 with `Retry-After` above the limit. */
  function admit({ caller }: Call): number {
    const { id } = workspaceOf(caller);
    rate.admit(id);
    return id;
  }

  /** Counts a call and returns the request in its path. Throws 404 if it is unknown or in another workspace. */
  function find(call: PlatformRequest<{ requestId: string }>): StoredRequest {
    const workspace = admit(call);
    const { data: id } = parseWith(SubjectRequestId, call.params.requestId);
    const request = id === undefined ? undefined : store.requests.find({ workspace, id });
    if (!request) throw reject(DSR_FAILURES.notFound);
    return request;
  }

  return {
    handlers: {
      create: async (call) => {
        const workspace = admit(call);
        const body = readRequest(call, fixtures.vendor_domain);
        const { sign } = await signer();
        const now = clock.now();
        const reply = cancelReply(life.admit(workspace, body, now), now);
        const text = stringifyJson({ ...reply, encoded_request: call.raw.toString('base64') } satisfies CreateReply);
        return {
          status: 201,
          text,
          headers: { [PROCESSOR_DOMAIN_HEADER]: domain, [SIGNATURE_HEADER]: await sign(text) },
        };
      },
      get: (call) => answer(200, statusReply(find(call), dsrBase(call))),
      list: (call) => {
        const workspace = admit(call);
        const groupId = call.query.get('group_id') ?? '';
        if (groupId === '') throw reject(DSR_FAILURES.invalid, 'query parameter group_id is missing');
        const isPossible = !hasControlCharacter(groupId);
        const found = isPossible ? store.requests.list({ workspace, group_id: groupId }, 'ORDER BY seq') : [];
        return answer(
          200,
          found.map((request) => statusReply(request, dsrBase(call))),
        );
      },
      cancel: (call) => {
        const now = clock.now();
        return answer(200, cancelReply(life.cancel(find(call), now), now));
      },
      discovery: (call) => {
        admit(call);
        return answer(200, {
          api_version: API_VERSION,
          supported_identities: DISCOVERED.map((identity_type) => ({ identity_type, identity_format: 'raw' })),
          supported_subject_request_types: ['access', 'erasure', 'portability'],
          processor_certificate: baseOf(call) + dsrEndpoints.certificate.path,
        });
      },
      results: (call) => {
        const request = find(call);
        if (!hasResults(request)) throw reject(DSR_FAILURES.notFound, 'the subject request has no results');
        const results = store.results.find({ request: request.seq });
        const headers = {
          'content-type': 'application/x-ndjson',
          'content-disposition': `attachment; filename="${request.id}.ndjson"`,
          'cache-control': 'no-store',
        };
        if (results) return { status: 200, text: results.document, headers };
        const isOver = clock.now() >= (request.completed_at ?? 0) + RESULTS_MS;
        throw reject(isOver ? DSR_FAILURES.resultsExpired : DSR_FAILURES.noRecords);
      },
      certificate: async () => ({
        status: 200,
        text: (await signer()).chain,
        headers: { 'content-type': 'application/x-pem-file' },
      }),
    },
    control: callbackRoutes(callbacks, dispatcher),
    load: ({ requests }) => {
      store.clear();
      callbacks.remove();
      rate.clear();
      const now = clock.now();
      const oldest = [...requests].sort((a, b) => b.age - a.age);
      for (const { workspace_id, age, body } of oldest) life.admit(workspace_id, body, now - age);
    },
    nextDue: () => {
      const due = [life.nextDue(), callbacks.nextDue()].filter((at) => at !== undefined);
      return due.sort((a, b) => a - b)[0];
    },
    catchUp: (now, isAwaited) => {
      life.catchUp(now);
      callbacks.release(now);
      dispatcher.wake(isAwaited ? now : undefined);
    },
    sent: dispatcher.sent,
    close: dispatcher.stop,
  };
}

/** Identity types in the specification's order and spelling (decision: D52). */
const DISCOVERED = [
  'osa_advertising_id',
  'osa_id',
  ...Object.keys(REQUEST_IDENTITY_TYPES).filter((type) => !type.startsWith('osa_') && type !== OTHER_SPELLING),
];

/** Parses and checks a body. Throws 400 if it is invalid. */
function readRequest({ body, header }: Call, vendorDomain: string): DsrRequest {
  if (!/^application\/json\s*(;|$)/i.test(header('content-type') ?? '')) {
    throw reject(DSR_FAILURES.invalid, 'Content-Type must be application/json');
  }
  const request = acceptBody(DsrRequest, readJson(body, DSR_FAILURES.invalid), rejectBody);
  const own = extensionKey(vendorDomain);
  const foreign = Object.keys(request.extensions ?? {}).filter((key) => key !== own);
  if (foreign.length > 0) {
    throw reject(
      DSR_FAILURES.invalid,
      foreign.map((key) => `extensions.${key} is unknown; this platform's extension is ${own}`),
    );
  }
  return request;
}
