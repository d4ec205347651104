// A 2xx answer becomes a value that the contract knows, or an error that says why it does not.
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../../src/lib/contract/endpoint.ts';
import { OutcomeUnknownError } from '../../../../src/lib/http/answer/network-failure.ts';
import { readReply } from '../../../../src/lib/http/answer/reply.ts';
import { thrownBy } from '../../../helpers/failure.ts';
import { answered, ended } from './calls.ts';
import { deleteThing, getNumber, getThing, putThing, seedThings } from './endpoints.ts';

const PAGE = '<!DOCTYPE html><title>Sign in</title>';

const refused = (text: string, endpoint: Endpoint = getThing, problem?: string): Error =>
  thrownBy(() => readReply(ended(endpoint), answered(text, { problem })));
const why = (text: string, problem?: string): string => refused(text, getThing, problem).message;
const UNREADABLE = 'Unreadable response to GET /v3/things/a: it ';

describe('readReply', () => {
  it('gives status, headers, the text as it came and the value', () => {
    const text = ' {"id":"a","run":9223372036854775807}';
    expect(readReply(ended(), answered(text, { status: 206, headers: { 'x-a': 'b' } }))).toEqual({
      status: 206,
      headers: { 'x-a': 'b' },
      text,
      body: { id: 'a', run: 9223372036854775807n },
    });
  });

  it('has no value where none is expected, whatever came', () => {
    for (const text of ['', '{', 'thanks!']) {
      expect(readReply(ended(seedThings), answered(text, { status: 202 }))).toEqual({
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
  ])('takes any %s where the shape is not known: %j', (type, text, body) => {
    const headers = { 'content-type': type === 'JSON' ? 'application/json; charset=utf-8' : 'text/plain' };
    const call = ended({ ...seedThings, anyReply: true });
    expect(readReply(call, answered(text, { headers })).body).toEqual(body);
  });

  it.each([
    [getThing, 'http.unreadable'],
    [putThing, 'http.outcome_unknown'],
  ])('says of any JSON that cannot be read what it says of every answer', ({ reply: _, ...spec }, code) => {
    const call = ended({ ...spec, anyReply: true });
    const error = thrownBy(() =>
      readReply(call, answered('{"id":', { headers: { 'content-type': 'application/json' } })),
    );
    expect(error).toMatchObject({ code, request: call.request });
  });

  it('checks the value in the contract’s words', () => {
    const decode = (value: unknown): unknown => ({ id: (value as { name: string }).name });
    expect(readReply(ended(), answered('{"name":"a"}'), decode).body).toEqual({ id: 'a' });
  });

  it.each<[string, string, string]>([
    ['nothing', '', 'is empty.'],
    ['blanks', ' \n', 'is empty.'],
    ['half of it', '{"id":', 'is not usable JSON: not valid JSON: '],
    [
      'another type',
      '{"id":7}',
      'does not have the expected shape (id must be a string, not a number; put it in quotes).',
    ],
    ['a missing field', '{}', 'does not have the expected shape (id is missing).'],
    ['a list', '[]', 'does not have the expected shape (the body must be an object, not a list).'],
    ['a page', PAGE, 'is a web page ("Sign in"), not JSON.'],
  ])('says of %s what is wrong with it', (_name, text, words) => {
    const error = refused(text);
    expect(error).toMatchObject({ code: 'http.unreadable', status: 200 });
    expect(error.message.startsWith(UNREADABLE + words)).toBe(true);
  });

  it('says where JSON ends to be such', () => {
    expect(why('{"id":"a",}')).toMatch(/ at character 10\.$/);
    expect(why('It works!')).toMatch(/ at character 0\.$/);
  });

  it('relies on no text that could not be read whole', () => {
    expect(why('{"id":"a"}', 'is not valid UTF-8')).toBe(`${UNREADABLE}is not valid UTF-8.`);
  });

  it('leaves the outcome of a write open', () => {
    const error = refused('{}', putThing);
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({
      name: 'OutcomeUnknownError',
      code: 'http.outcome_unknown',
      details: { cause: 'http.unreadable' },
    });
  });

  it('takes a page for no success where nothing is expected', () => {
    expect(refused(PAGE, deleteThing)).toBeInstanceOf(OutcomeUnknownError);
    expect(refused(PAGE, seedThings)).toBeInstanceOf(OutcomeUnknownError);
  });

  it.each([
    ['another status', 200, '', 'has the undocumented status 200'],
    ['another status', 204, '', 'has the undocumented status 204'],
    ['an error document', 202, '{"errors":[{"message":"no"}]}', 'is an error document with status 202'],
    ['an error document', 202, '{"statusCode":503,"message":"no"}', 'is an error document with status 202'],
    ['an error document', 202, '{"error":"unavailable"}', 'is an error document with status 202'],
  ])('takes %s (%i) for no acceptance where only the status counts', (_name, status, text, words) => {
    const error = thrownBy(() => readReply(ended(seedThings), answered(text, { status })));
    expect(error).toMatchObject({ code: 'http.outcome_unknown' });
    expect(error.message).toContain(words);
  });

  it('takes an error document for no deletion, and any other 2xx without one for a response', () => {
    const text = '{"errors":[{"message":"no"}]}';
    const deleted = (body: string) => readReply(ended(deleteThing), answered(body, { status: 200 }));
    expect(thrownBy(() => deleted(text))).toBeInstanceOf(OutcomeUnknownError);
    expect(deleted('{"errors":[]}')).toMatchObject({ status: 200, body: undefined });
  });
});

describe('more values than memory is good for', () => {
  const list = (elements: number, element: string): string => `[${Array<string>(elements).fill(element).join(',')}]`;
  const wanted = (rest: string): string => `{"run":1,"rest":${rest}}`;
  const isRead = (text: string): boolean => {
    try {
      readReply(ended(getNumber), answered(text));
      return true;
    } catch (error) {
      expect((error as Error).message).toContain('holds more values than any response of the platform');
      return false;
    }
  };

  it('are counted by what begins or parts them', () => {
    expect(isRead(wanted(list(199_000, '{"a":1}')))).toBe(true);
    expect(isRead(wanted(list(201_000, '{"a":1}')))).toBe(false);
    expect(isRead(wanted(list(399_000, '10')))).toBe(true);
    expect(isRead(wanted(list(401_000, '10')))).toBe(false);
    expect(isRead(wanted(list(99_000, '[[1],20]')))).toBe(true);
    expect(isRead(wanted(list(101_000, '[[1],20]')))).toBe(false);
  });

  it('are not what stands in a text', () => {
    const punctuation = ',[{'.repeat(300_000);
    expect(isRead(wanted(JSON.stringify(punctuation)))).toBe(true);
    expect(isRead(wanted(JSON.stringify(`\\"${punctuation}\\`)))).toBe(true);
    expect(isRead(wanted(JSON.stringify([`a"${punctuation}\\\\`, 'b', punctuation])))).toBe(true);
  });

  it('are counted behind a text, too', () => {
    const values = list(401_000, '10');
    for (const text of ['', 'a', '\\', '"', 'a\\"', '\\\\', '","']) {
      expect(isRead(`{"run":1,"text":${JSON.stringify(text)},"rest":${values}}`)).toBe(false);
    }
  });

  it('are not looked for behind a text without an end', () => {
    const text = `{"run":1,"text":"${','.repeat(900_000)}`;
    expect(() => readReply(ended(getNumber), answered(text))).toThrow('is not usable JSON');
  });
});
