// Reads the messages in error responses of any shape, and detects web pages.
import { describe, expect, it } from 'vitest';
import { type Envelope, htmlTitle, isHtml, readEnvelope } from '../../../../src/lib/http/answer/answer.ts';
import { responseWith } from './calls.ts';

const answer = (text: string, type = 'application/json') => responseWith(text, { headers: { 'content-type': type } });
const redact = (text: string): string => text.replaceAll('hunter2', '***');
const readAnswer = (text: string, type?: string): Envelope => readEnvelope(answer(text, type), redact);
const read = (body: unknown): Envelope => readAnswer(typeof body === 'string' ? body : JSON.stringify(body));
const titleOf = (text: string): string => htmlTitle(text, redact);

describe('readEnvelope', () => {
  it.each<[string, unknown, string[], unknown[]]>([
    [
      'a list of messages',
      { errors: [{ message: 'a' }, { message: 'b' }] },
      ['a', 'b'],
      [{ message: 'a' }, { message: 'b' }],
    ],
    ['a list of strings', { errors: ['a', ' b '] }, ['a', ' b '], [{ message: 'a' }, { message: ' b ' }]],
    ['codes and messages', { errors: [{ code: 7, message: 'a' }] }, ['a'], [{ code: 7, message: 'a' }]],
    [
      'a reason if there is no message',
      { errors: [{ reason: 'r', domain: 'd' }] },
      ['r'],
      [{ domain: 'd', reason: 'r' }],
    ],
    [
      'a code if there is nothing else',
      { errors: [{ code: 42 }, { code: 'E1' }] },
      ['42', 'E1'],
      [{ code: 42 }, { code: 'E1' }],
    ],
    ['a domain without a message', { errors: [{ domain: 'd' }] }, [], [{ domain: 'd' }]],
    ['a message with details', { code: 1, message: 'm', errors: [{ message: 'a' }] }, ['m', 'a'], [{ message: 'a' }]],
    ['a nested object with only a list', { error: { errors: [{ message: 'a' }] } }, ['a'], [{ message: 'a' }]],
    ['a nested object', { error: { message: 'm', errors: [{ message: 'a' }] } }, ['m', 'a'], [{ message: 'a' }]],
    [
      'a list and a nested list',
      { errors: ['a'], error: { errors: ['b'] } },
      ['a', 'b'],
      [{ message: 'a' }, { message: 'b' }],
    ],
    [
      'an OAuth description',
      { error: 'invalid_client', error_description: 'Unknown client.' },
      ['Unknown client.'],
      [],
    ],
    ['an OAuth error code', { error: 'invalid_client' }, ['invalid_client'], []],
    ['an empty description', { error: 'invalid_client', error_description: ' ' }, ['invalid_client'], []],
    ['an additional status', { statusCode: 400, errors: [{ message: 'a' }] }, ['a'], [{ message: 'a' }]],
    [
      'a repeated message',
      { message: 'm', errors: [{ message: 'm' }, { message: 'm' }] },
      ['m'],
      [{ message: 'm' }, { message: 'm' }],
    ],
    ['a message with spaces around it', { message: '  m\n' }, ['m'], []],
    ['empty entries', { message: '', errors: [{}, { message: ' ' }, null, 7, { code: null }] }, [], []],
    ['nulls', { message: null, errors: null }, [], []],
    ['unknown fields', { foo: 1 }, [], []],
    ['an object instead of a list', { errors: { message: 'a' } }, [], []],
    ['a JSON string', '"no"', ['no'], []],
    ['only spaces', '  ', [], []],
    ['null', 'null', [], []],
    ['a list', '[1]', [], []],
    ['plain text', ' Service down ', ['Service down'], []],
    ['truncated JSON', '{"errors":', ['{"errors":'], []],
  ])('reads %s', (_what, body, sentences, errors) => {
    expect(read(body)).toEqual({ sentences, errors });
  });

  it('ignores `__proto__`', () => {
    const text = '{"__proto__":{"message":"a"},"errors":[{"__proto__":{"message":"b"}}]}';
    expect(read(text)).toEqual({ sentences: [], errors: [] });
    expect(({} as Record<string, unknown>)['message']).toBeUndefined();
  });

  it('truncates long text', () => {
    expect(read('x'.repeat(2000)).sentences).toEqual(['x'.repeat(500)]);
  });

  it('does not parse an error body of more than a megabyte', () => {
    const body = JSON.stringify({ message: 'm', rest: 'x'.repeat(1024 * 1024) });
    expect(read(body).sentences).toEqual([body.slice(0, 500)]);
  });

  it("reads a page's title, if it has one", () => {
    const page = '<!DOCTYPE html><head><title lang="en">\n Sign  in\t here </title></head><body>password</body>';
    expect(readAnswer(page, 'text/html; charset=utf-8')).toEqual({ sentences: ['Sign in here'], errors: [] });
    expect(readAnswer('<html><body>secret</body></html>', 'text/html')).toEqual({
      sentences: [],
      errors: [],
    });
    expect(titleOf(`<title>${'x'.repeat(600)}</title>`)).toBe('x'.repeat(500));
    expect(titleOf('<TITLE>a')).toBe('a');
    expect(titleOf('<title>a<br>b</title>')).toBe('a');
  });

  it('searches for a title in linear time', () => {
    expect(titleOf('<title'.repeat(500_000))).toBe('');
  });

  // The redactor would not recognize a truncated secret.
  it.each([495, 500, 506])('masks secrets before truncating text or a title at %d characters', (end) => {
    const text = `${'x'.repeat(end - 7)}hunter2 y`;
    const shown = `${'x'.repeat(end - 7)}*** y`.slice(0, 500);
    expect(read(text).sentences).toEqual([shown]);
    expect(titleOf(`<title>${text}</title>`)).toBe(shown);
    const page = `<html><title>${text}</title></html>`;
    expect(readAnswer(page, 'text/html').sentences).toEqual([shown]);
  });

  it('masks secrets in every field', () => {
    const [text, shown] = ['a hunter2', 'a ***'];
    expect(read(`"${text}"`).sentences).toEqual([shown]);
    expect(read({ error: text }).sentences).toEqual([shown]);
    expect(read({ error: 'x', error_description: text }).sentences).toEqual([shown]);
    expect(read({ error: { message: text } }).sentences).toEqual([shown]);
    expect(read({ message: text, errors: [text] })).toEqual({ sentences: [shown], errors: [{ message: shown }] });
    const item = { code: text, message: text, domain: text, reason: text };
    const clean = { code: shown, message: shown, domain: shown, reason: shown };
    expect(read({ errors: [item] })).toEqual({ sentences: [shown], errors: [clean] });
  });

  it('masks a secret that ends in a space or contains a bracket', () => {
    const holding = (secret: string) => (text: string) => text.replaceAll(secret, '***');
    expect(readEnvelope(answer('no hunter '), holding('hunter ')).sentences).toEqual(['no ***']);
    expect(readEnvelope(answer('{"message":"no hunter "}'), holding('hunter ')).sentences).toEqual(['no ***']);
    expect(htmlTitle('<title>no hunter<2</title>', holding('hunter<2'))).toBe('no ***');
  });
});

describe('a web page', () => {
  it.each([
    ['text/html', 'x'],
    ['TEXT/HTML; charset=x', ''],
    ['application/json', '<!DOCTYPE html>'],
    ['', '  \n<html lang="en">'],
  ])('is detected from the type %j and the text %j', (type, text) => {
    expect(isHtml(answer(text, type))).toBe(true);
    if (type === '') expect(isHtml(responseWith(text))).toBe(true);
  });

  it.each([
    ['application/xhtml+xml', 'x'],
    ['', '<htmlx>'],
    ['application/json', '{"a":"<html>"}'],
    ['text/plain', 'html'],
  ])('is not detected from the type %j and the text %j', (type, text) => {
    expect(isHtml(answer(text, type))).toBe(false);
    if (type === '') expect(isHtml(responseWith(text))).toBe(false);
  });
});
