// A 2xx response is converted to a value that matches the contract, or to an error with the reason.
import { describe, expect, it } from 'vitest';
import { looseObject } from 'zod/mini';
import { connectionsEndpoints } from '../../../../src/lib/contract/connections.ts';
import { dataModelsEndpoints } from '../../../../src/lib/contract/data-models.ts';
import { dsrEndpoints } from '../../../../src/lib/contract/dsr.ts';
import type { Endpoint } from '../../../../src/lib/contract/endpoint.ts';
import { groupsEndpoints } from '../../../../src/lib/contract/groups.ts';
import { pipelinesEndpoints } from '../../../../src/lib/contract/pipelines.ts';
import { rolesEndpoints } from '../../../../src/lib/contract/roles.ts';
import { OutcomeUnknownError } from '../../../../src/lib/http/answer/failure.ts';
import { createWireNames } from '../../../../src/lib/contract/names.ts';
import { readReply } from '../../../../src/lib/http/answer/reply.ts';
import { thrownBy } from '../../../helpers/failure.ts';
import { responseWith, failedCall } from './calls.ts';
import { deleteThing, getNumber, getThing, putThing, seedThings } from './endpoints.ts';

const PAGE = '<!DOCTYPE html><title>Sign in</title>';

const errorOf = (text: string, endpoint: Endpoint = getThing, problem?: string): Error =>
  thrownBy(() => readReply(failedCall(endpoint), responseWith(text, { problem })));
const messageOf = (text: string, problem?: string): string => errorOf(text, getThing, problem).message;
const UNREADABLE = 'Unreadable response to GET /v3/things/a: it ';

describe('readReply', () => {
  it('returns the status, the headers, the original text and the value', () => {
    const text = ' {"id":"a","run":9223372036854775807}';
    expect(readReply(failedCall(), responseWith(text, { status: 206, headers: { 'x-a': 'b' } }))).toEqual({
      status: 206,
      headers: { 'x-a': 'b' },
      text,
      body: { id: 'a', run: 9223372036854775807n },
    });
  });

  it('does not return a value if none is expected, even if the body is not JSON', () => {
    for (const text of ['', '{', 'thanks!']) {
      expect(readReply(failedCall(seedThings), responseWith(text, { status: 202 }))).toEqual({
        status: 202,
        headers: {},
        text,
        body: undefined,
      });
    }
  });

  it.each([
    ['JSON', '{"n":9223372036854775807}', { n: 9223372036854775807n }],
    ['JSON', '\n', undefined],
    ['text', '{"id":', '{"id":'],
    ['text', '', undefined],
  ])('accepts any %s if the shape is unspecified: %j', (type, text, body) => {
    const headers = { 'content-type': type === 'JSON' ? 'application/json; charset=utf-8' : 'text/plain' };
    const call = failedCall({ ...seedThings, anyReply: true });
    expect(readReply(call, responseWith(text, { headers })).body).toEqual(body);
  });

  it.each(['', '{}', 'caf\ufffd'])(
    'rejects a body that could not be decoded even if it accepts any body: %j',
    (text) => {
      const { reply: _, ...spec } = getThing;
      const error = errorOf(text, { ...spec, anyReply: true }, 'is larger than 16 MiB');
      expect(error.message).toBe(`${UNREADABLE}is larger than 16 MiB.`);
    },
  );

  it.each([
    ['http.unreadable', getThing],
    ['http.outcome_unknown', putThing],
  ] as const)('reports invalid JSON as %s if the endpoint accepts any body', (code, { reply: _, ...spec }) => {
    const call = failedCall({ ...spec, anyReply: true });
    const error = thrownBy(() =>
      readReply(call, responseWith('{"id":', { headers: { 'content-type': 'application/json' } })),
    );
    expect(error).toMatchObject({ code, request: call.request });
  });

  it('validates the value only after translating its names', () => {
    const decode = (value: unknown): unknown => ({ id: (value as { name: string }).name });
    expect(readReply(failedCall(), responseWith('{"name":"a"}'), decode).body).toEqual({ id: 'a' });
  });

  it.each([
    ['http.unreadable', getThing],
    ['http.outcome_unknown', putThing],
  ] as const)('reports a body with two names of the same field as %s', (code, spec) => {
    const { decode } = createWireNames({ xpid: 'pid' });
    const response = responseWith('{"id":"a","xpid":1,"pid":2}');
    const error = thrownBy(() => readReply(failedCall(spec), response, (value) => decode(value, ['keys:'])));
    expect(error).toMatchObject({ code, message: expect.stringContaining('has two names for one field') as string });
  });

  it.each<[string, string, string]>([
    ['an empty body', '', 'is empty.'],
    ['whitespace', ' \n', 'is empty.'],
    ['truncated JSON', '{"id":', 'is not usable JSON: not valid JSON: '],
    [
      'an invalid type',
      '{"id":7}',
      'does not have the expected shape (id must be a string, not a number; put it in quotes).',
    ],
    ['a missing field', '{}', 'does not have the expected shape (id is missing).'],
    ['a list', '[]', 'does not have the expected shape (the body must be an object, not a list).'],
    ['a page', PAGE, 'is a web page ("Sign in"), not JSON.'],
  ])('reports %s as unreadable', (_name, text, words) => {
    const error = errorOf(text);
    expect(error).toMatchObject({ code: 'http.unreadable', status: 200 });
    expect(error.message.startsWith(UNREADABLE + words)).toBe(true);
  });

  it('reports the position of a JSON syntax error', () => {
    expect(messageOf('{"id":"a",}')).toMatch(/ at character 10\.$/);
    expect(messageOf('It works!')).toMatch(/ at character 0\.$/);
  });

  it('rejects text that could not be decoded', () => {
    expect(messageOf('{"id":"a"}', 'is not valid UTF-8')).toBe(`${UNREADABLE}is not valid UTF-8.`);
  });

  it('reports an unknown outcome if the response to a write is unreadable', () => {
    const error = errorOf('{}', putThing);
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({
      name: 'OutcomeUnknownError',
      code: 'http.outcome_unknown',
      details: { cause: 'http.unreadable' },
    });
  });

  it('rejects a web page even if no body is expected', () => {
    expect(errorOf(PAGE, deleteThing)).toBeInstanceOf(OutcomeUnknownError);
    expect(errorOf(PAGE, seedThings)).toBeInstanceOf(OutcomeUnknownError);
  });

  it.each([
    ['an undocumented status', 200, '', 'has the undocumented status 200'],
    ['an undocumented status', 204, '', 'has the undocumented status 204'],
    ['an error document', 202, '{"errors":[{"message":"no"}]}', 'is an error document with status 202'],
    ['an error document', 202, '{"statusCode":503,"message":"no"}', 'is an error document with status 202'],
    ['an error document', 202, '{"error":"unavailable"}', 'is an error document with status 202'],
  ])('rejects %s even if no body is expected: %i %s', (_name, status, text, words) => {
    const error = thrownBy(() => readReply(failedCall(seedThings), responseWith(text, { status })));
    expect(error).toMatchObject({ code: 'http.outcome_unknown' });
    expect(error.message).toContain(words);
  });

  it.each<Endpoint>([
    ...[rolesEndpoints.replace, groupsEndpoints.create, groupsEndpoints.update, groupsEndpoints.patch],
    ...[connectionsEndpoints.create, connectionsEndpoints.update, dataModelsEndpoints.create, dsrEndpoints.cancel],
    ...[pipelinesEndpoints.create, pipelinesEndpoints.update, pipelinesEndpoints.trigger],
  ])('does not accept status 202 with a complete body as proof that $id succeeded', (endpoint) => {
    const complete = { ...endpoint, reply: looseObject({}) };
    const read = (status: number) => readReply(failedCall(complete), responseWith('{}', { status }));
    expect(read(200)).toMatchObject({ status: 200 });
    expect(thrownBy(() => read(202))).toMatchObject({
      code: 'http.outcome_unknown',
      message: expect.stringContaining('has the undocumented status 202') as string,
    });
  });

  it('rejects an error document after a deletion, but accepts an undocumented 2xx status without errors', () => {
    const text = '{"errors":[{"message":"no"}]}';
    const deleted = (body: string) => readReply(failedCall(deleteThing), responseWith(body, { status: 200 }));
    expect(thrownBy(() => deleted(text))).toBeInstanceOf(OutcomeUnknownError);
    expect(deleted('{"errors":[]}')).toMatchObject({ status: 200, body: undefined });
  });
});

describe('too many values in a response', () => {
  const list = (elements: number, element: string): string => `[${Array<string>(elements).fill(element).join(',')}]`;
  const documentWith = (rest: string): string => `{"run":1,"rest":${rest}}`;
  const isRead = (text: string): boolean => {
    try {
      readReply(failedCall(getNumber), responseWith(text));
      return true;
    } catch (error) {
      expect((error as Error).message).toContain('has more values than any response from the platform');
      return false;
    }
  };

  it('are detected by counting brackets and commas', () => {
    expect(isRead(documentWith(list(199_000, '{"a":1}')))).toBe(true);
    expect(isRead(documentWith(list(201_000, '{"a":1}')))).toBe(false);
    expect(isRead(documentWith(list(399_000, '10')))).toBe(true);
    expect(isRead(documentWith(list(401_000, '10')))).toBe(false);
    expect(isRead(documentWith(list(99_000, '[[1],20]')))).toBe(true);
    expect(isRead(documentWith(list(101_000, '[[1],20]')))).toBe(false);
  });

  it('are detected without counting brackets and commas in strings', () => {
    const punctuation = ',[{'.repeat(300_000);
    expect(isRead(documentWith(JSON.stringify(punctuation)))).toBe(true);
    expect(isRead(documentWith(JSON.stringify(`\\"${punctuation}\\`)))).toBe(true);
    expect(isRead(documentWith(JSON.stringify([`a"${punctuation}\\\\`, 'b', punctuation])))).toBe(true);
  });

  it('are also detected after a string', () => {
    const values = list(401_000, '10');
    for (const text of ['', 'a', '\\', '"', 'a\\"', '\\\\', '","']) {
      expect(isRead(`{"run":1,"text":${JSON.stringify(text)},"rest":${values}}`)).toBe(false);
    }
  });

  it('are not detected within an unterminated string, which is reported as invalid JSON', () => {
    const text = `{"run":1,"text":"${','.repeat(900_000)}`;
    expect(() => readReply(failedCall(getNumber), responseWith(text))).toThrow('is not usable JSON');
  });
});
