// Errors created from responses, each with a message, a hint and a stable code.
import { describe, expect, test } from 'vitest';
import { oauthEndpoints } from '../../../../src/lib/contract/oauth.ts';
import { outcomeUnknown, rejectionOf, unreadable } from '../../../../src/lib/http/answer/failure.ts';
import { linkEndpoint } from '../../../../src/lib/http/call/link.ts';
import { CliError } from '../../../../src/lib/errors/fail.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { responseWith, failedCall } from './calls.ts';
import { getNumber, getThing, putThing, seedThings } from './endpoints.ts';

describe('the error for a rejection', () => {
  const NEVER = undefined;
  const bearer = failedCall();
  const ready = failedCall(getThing, true);
  const basic = failedCall(getNumber);
  const seeding = failedCall(seedThings);
  const token = failedCall(oauthEndpoints.token);
  const open = failedCall(linkEndpoint({ url: '', accept: '*/*' }));
  test.each<[number, string, typeof bearer, string, string, string | undefined]>([
    [400, 'a token', bearer, 'http.bad_request', 'The platform rejected the request', NEVER],
    [401, 'a token', bearer, 'http.unauthorized', 'The platform rejected the credentials', 'A new token was rejected'],
    [401, 'a ready token', ready, 'http.unauthorized', 'The platform rejected the credentials', 'CDPADM_ACCESS_TOKEN'],
    [
      401,
      'a workspace key',
      basic,
      'http.unauthorized',
      'The platform rejected the credentials',
      'CDPADM_WORKSPACE_KEY',
    ],
    [
      401,
      'a key for seeding',
      seeding,
      'http.unauthorized',
      'The platform rejected the credentials',
      'CDPADM_WORKSPACE_KEY',
    ],
    [
      401,
      'client credentials',
      token,
      'auth.client_refused',
      'The token service rejected the client id',
      'CDPADM_CLIENT_ID',
    ],
    [
      403,
      'client credentials',
      token,
      'auth.audience_refused',
      'The token service does not issue tokens',
      'CDPADM_AUDIENCE',
    ],
    [403, 'a token', bearer, 'http.forbidden', 'The credentials do not have permission', 'custom roles permission'],
    [401, 'no credentials', open, 'http.unauthorized', 'The server rejected a request without credentials', 'No cred'],
    [403, 'no credentials', open, 'http.forbidden', 'The server rejected a request without credentials', 'No cred'],
    [403, 'a workspace key', basic, 'http.forbidden', 'The credentials do not have permission', 'workspace key'],
    [404, 'a token', bearer, 'http.not_found', 'Not found', 'profile show --origin'],
    [404, 'client credentials', token, 'http.refused', 'The token service rejected the request', '`auth_url`'],
    [410, 'client credentials', token, 'http.refused', 'The token service rejected the request', '`auth_url`'],
    [409, 'client credentials', token, 'http.refused', 'The token service rejected the request', '`auth_url`'],
    [409, 'a token', bearer, 'http.conflict', 'Conflict with the current state', NEVER],
    [410, 'a token', bearer, 'http.gone', 'The resource no longer exists', NEVER],
    [413, 'a token', bearer, 'http.too_large', 'The platform rejected the request', NEVER],
    [418, 'client credentials', token, 'http.refused', 'The token service rejected the request', '`auth_url`'],
    [422, 'a token', bearer, 'http.unprocessable', 'The platform rejected the request', NEVER],
    [429, 'a token', bearer, 'http.rate_limited', 'Too many requests', 'Wait a minute'],
    [503, 'client credentials', token, 'http.unavailable', 'The token service reports a server error', '--retries N'],
    [500, 'a token', bearer, 'http.unavailable', 'The platform reports a server error', '--retries N'],
    [501, 'a token', bearer, 'http.refused', 'The platform rejected the request', NEVER],
    [
      505,
      'a token',
      bearer,
      'http.warehouse_unreachable',
      'The platform could not connect to the warehouse',
      'itself is available',
    ],
    [299, 'a token', bearer, 'http.refused', 'The platform rejected the request', NEVER],
  ])('describes status %d for a call with %s', (status, _credentials, call, code, subject, hint) => {
    const error = rejectionOf(call, responseWith('', { status }));
    expect(error).toMatchObject({ code, status, request: call.request, details: undefined });
    expect(error.message.startsWith(subject)).toBe(true);
    expect(error.message.endsWith(` (${status}).`)).toBe(true);
    if (hint === undefined) expect(error.hint).toBeUndefined();
    else expect(error.hint).toContain(hint);
  });

  test("ends with the platform's messages, masked and followed by one period", () => {
    const body = { message: 'No hunter2.', errors: [{ message: 'Not hunter2.', code: 7 }] };
    const error = rejectionOf(bearer, responseWith(JSON.stringify(body), { status: 400 }));
    expect(error.message).toBe('The platform rejected the request (400): No ***.; Not ***.');
    expect(error.details).toEqual({ errors: [{ message: 'Not ***.', code: 7 }] });
  });

  test('ends with the exceeded limit, but only for a 429', () => {
    const headers = { age: '1', 'x-vendor-rate-limit-exceeded': 'hunter2-a-minute', 'x-rate-limit-exceeded-x': 'no' };
    const text = 'Slow down.';
    expect(rejectionOf(bearer, responseWith(text, { status: 429, headers })).message).toBe(
      'Too many requests (429): Slow down; x-vendor-rate-limit-exceeded: ***-a-minute.',
    );
    expect(rejectionOf(bearer, responseWith('', { status: 429, headers })).message).toBe(
      'Too many requests (429): x-vendor-rate-limit-exceeded: ***-a-minute.',
    );
    expect(rejectionOf(bearer, responseWith('', { status: 400, headers })).message).not.toContain('limit');
  });

  test.each([
    ['https://hunter2.example/login', ' to https://***.example', 'If https://***.example is the platform'],
    ['/login', ' to https://api.example', 'Check the configured addresses'],
    ['', ' to https://api.example', 'Check the configured addresses'],
    ['http://[', '', 'Check the configured addresses'],
  ])('describes a redirect to %j', (location, target, hint) => {
    for (const status of [300, 399]) {
      const error = rejectionOf(bearer, responseWith('', { status, headers: { location } }));
      expect(error).toMatchObject({ code: 'http.redirect', status, request: bearer.request });
      expect(error.message).toBe(
        `The platform sent a redirect (${status})${target}; cdpadm does not follow redirects.`,
      );
      expect(error.hint).toContain(hint);
    }
  });
});

describe('the error for an unreadable response', () => {
  const START = 'Unreadable response to GET /v3/things/a: it ';
  test.each([
    ['<html><title> Sign in, hunter2 </title>', 'is a web page ("Sign in, ***"), not JSON.', 'login page'],
    ['<html>', 'is a web page, not JSON.', 'login page'],
    ['{', 'is half, ***.', '--trace-file FILE'],
  ])('describes the text %j', (text, words, hint) => {
    const error = unreadable(failedCall(), responseWith(text, { status: 202 }), 'is half, hunter2');
    expect(error).toMatchObject({ code: 'http.unreadable', status: 202, message: START + words });
    expect(error.hint).toContain(hint);
    expect(error.hint).toContain('https://api.example');
  });
});

describe('the error for an unknown outcome', () => {
  const cause = new KnownError({ code: 'network.reset', message: 'The connection was closed.' });

  test('contains the cause and a hint about how to continue', () => {
    const error = outcomeUnknown(failedCall(putThing), cause);
    expect(error).toMatchObject({
      name: 'OutcomeUnknownError',
      code: 'http.outcome_unknown',
      status: undefined,
      details: { cause: 'network.reset' },
      cause,
      message: 'The outcome of PUT /v3/things/a is unknown: the connection was closed.',
      request: failedCall(putThing).request,
    });
    expect(error.hint).toContain('Check the current state');
  });

  test("keeps the cause's status, but keeps the cause's exit code only if the cause is an interruption", () => {
    const stopped = new CliError({ code: 'interrupted', message: 'Terminated.', exit: 'terminated', status: 200 });
    expect(outcomeUnknown(failedCall(putThing), stopped)).toMatchObject({ exit: 'terminated', status: 200 });
    const unavailable = new KnownError({ code: 'http.unavailable', message: 'Trouble.', status: 500 });
    expect(outcomeUnknown(failedCall(putThing), unavailable)).toMatchObject({ exit: 'network', status: 500 });
  });
});
