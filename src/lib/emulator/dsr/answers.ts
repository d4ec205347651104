// Responses, callbacks and errors of data subject requests (specification, C).
import { API_VERSION, type CancelReply, dsrEndpoints, type RequestStatusReply } from '../../contract/dsr.ts';
import { fillPath } from '../../contract/endpoint.ts';
import type { FieldIssue } from '../../contract/explain.ts';
import { DSR_FAILURES } from '../../contract/failures.ts';
import { isoMillis, isoSeconds } from '../../kernel/timestamps.ts';
import { sentences } from '../wire/request-body.ts';
import { type PlatformError, reject } from '../wire/platform-error.ts';
import { hasResults, type StoredRequest } from '../stores/dsr.ts';

/** `base` is the base address for data subject requests. */
export function statusReply(request: StoredRequest, base: string): RequestStatusReply {
  return { ...callbackBody(request, base), group_id: request.group_id };
}

/** Returns a callback's body: the status of a request without its group. */
export function callbackBody(request: StoredRequest, base: string): RequestStatusReply {
  return {
    controller_id: String(request.workspace),
    expected_completion_time: expected(request),
    subject_request_id: request.id,
    request_status: request.status,
    api_version: API_VERSION,
    results_url: hasResults(request) ? base + fillPath(dsrEndpoints.results.path, { requestId: request.id }) : null,
    extensions: request.forwarding,
  };
}

export function cancelReply(request: StoredRequest, received: number): CancelReply {
  return {
    expected_completion_time: expected(request),
    received_time: isoMillis(received),
    subject_request_id: request.id,
    controller_id: String(request.workspace),
  };
}

/** Returns the expected completion time, rounded up to a whole second; null after a cancellation. */
function expected({ expected_at }: StoredRequest): string | null {
  return expected_at === null ? null : isoSeconds(Math.ceil(expected_at / 1000) * 1000);
}

/** Returns the error for an invalid body. `xpid` combined with another identity has its own message. */
export function rejectBody(issues: readonly FieldIssue[]): PlatformError {
  const { notAlone, invalid } = DSR_FAILURES;
  const onlyXpid = issues.every(({ failure }) => failure === notAlone);
  return reject(onlyXpid ? notAlone : invalid, sentences(issues));
}
