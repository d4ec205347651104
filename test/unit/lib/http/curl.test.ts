// `--curl`: correctly quoted commands with placeholders for all credentials.
import { describe, expect, it, test } from 'vitest';
import type { Endpoint } from '../../../../src/lib/contract/endpoint.ts';
import { CurlPrinted, curlCommand, type BuiltRequest } from '../../../../src/lib/http/call/request.ts';
import { getNumber, getThing, seedThings } from './endpoints.ts';

const request: BuiltRequest = {
  method: 'GET',
  origin: 'https://api.example',
  path: '/a',
  query: '?b=c&d',
  body: undefined,
};
const lines = (endpoint: Endpoint, built: BuiltRequest): string[] => curlCommand(endpoint, built).split(' \\\n  ');
const FIRST = `curl --silent --show-error --request GET 'https://api.example/a?b=c&d'`;
const ACCEPT = "--header 'accept: application/json'";
const BASIC = '--user "$CDPADM_WORKSPACE_KEY:$CDPADM_WORKSPACE_SECRET"';

describe('curlCommand', () => {
  it("prints placeholders for the call's credentials, if any", () => {
    expect(lines(getThing, request)).toEqual([FIRST, ACCEPT, '--header "authorization: Bearer $CDPADM_ACCESS_TOKEN"']);
    expect(lines(getNumber, request)).toEqual([FIRST, ACCEPT, BASIC]);
    expect(lines(seedThings, request)).toEqual([FIRST, ACCEPT, BASIC]);
    expect(lines({ ...getThing, auth: 'none' }, request)).toEqual([FIRST, ACCEPT]);
  });

  it("includes a JSON body and the call's accept header", () => {
    expect(lines({ ...getThing, auth: 'none' }, { ...request, body: '{}', accept: 'text/csv' })).toEqual([
      FIRST,
      "--header 'accept: text/csv'",
      "--header 'content-type: application/json'",
      "--data-raw '{}'",
    ]);
  });
});

test('throws CurlPrinted, which reports that nothing was sent', () => {
  const printed = new CurlPrinted();
  expect(printed.name).toBe('CurlPrinted');
  expect(printed.message).toContain('nothing was sent');
});
