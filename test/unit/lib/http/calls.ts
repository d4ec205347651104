// Finished calls and their responses, for tests of results and errors.
import type { Endpoint } from '../../../../src/lib/contract/endpoint.ts';
import type { Answer } from '../../../../src/lib/http/answer/answer.ts';
import type { FailedCall } from '../../../../src/lib/http/answer/failure.ts';
import { getThing } from './endpoints.ts';

/** Returns a failed call to `endpoint` whose redactor masks the word `hunter2`. */
export function failedCall(endpoint: Endpoint = getThing, readyToken = false): FailedCall {
  return {
    endpoint,
    request: { id: 'id-1', method: endpoint.method, path: '/v3/things/a' },
    origin: 'https://api.example',
    readyToken,
    redact: (text) => text.replaceAll('hunter2', '***'),
  };
}

export function responseWith(text: string, parts: Partial<Answer> = {}): Answer {
  return { status: 200, headers: {}, text, size: text.length, problem: undefined, ...parts };
}
