// What the platform says in the body of a refusal, whatever shape it has; and what is a page for a browser.
import { describe, expect, it } from 'vitest';
import { type Envelope, htmlTitle, isHtml, readEnvelope } from '../../../../src/lib/http/answer/envelope.ts';
import { answered } from './calls.ts';

const answer = (text: string, type = 'application/json') => answered(text, { headers: { 'content-type': type } });
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
    ['a list of texts', { errors: ['a', ' b '] }, ['a', ' b '], [{ message: 'a' }, { message: ' b ' }]],
    ['codes and messages', { errors: [{ code: 7, message: 'a' }] }, ['a'], [{ code: 7, message: 'a' }]],
    [
      'a reason where there is no message',
      { errors: [{ reason: 'r', domain: 'd' }] },
      ['r'],
      [{ domain: 'd', reason: 'r' }],
    ],
    [
      'a code where there is nothing else',
      { errors: [{ code: 42 }, { code: 'E1' }] },
      ['42', 'E1'],
      [{ code: 42 }, { code: 'E1' }],
    ],
    ['a domain, which says nothing to people', { errors: [{ domain: 'd' }] }, [], [{ domain: 'd' }]],
    [
      'a sentence over its details',
      { code: 1, message: 'm', errors: [{ message: 'a' }] },
      ['m', 'a'],
      [{ message: 'a' }],
    ],
    ['an object of its own with a list alone', { error: { errors: [{ message: 'a' }] } }, ['a'], [{ message: 'a' }]],
    ['an object of its own', { error: { message: 'm', errors: [{ message: 'a' }] } }, ['m', 'a'], [{ message: 'a' }]],
    [
      'lists inside and outside',
      { errors: ['a'], error: { errors: ['b'] } },
      ['a', 'b'],
      [{ message: 'a' }, { message: 'b' }],
    ],
    ['the words of OAuth', { error: 'invalid_client', error_description: 'Unknown client.' }, ['Unknown client.'], []],
    ['the short word of OAuth', { error: 'invalid_client' }, ['invalid_client'], []],
    ['an empty description', { error: 'invalid_client', error_description: ' ' }, ['invalid_client'], []],
    ['a status besides', { statusCode: 400, errors: [{ message: 'a' }] }, ['a'], [{ message: 'a' }]],
    [
      'the same sentence twice',
      { message: 'm', errors: [{ message: 'm' }, { message: 'm' }] },
      ['m'],
      [{ message: 'm' }, { message: 'm' }],
    ],
    ['spaces around a sentence', { message: '  m\n' }, ['m'], []],
    ['empty entries', { message: '', errors: [{}, { message: ' ' }, null, 7, { code: null }] }, [], []],
    ['nulls', { message: null, errors: null }, [], []],
    ['nothing that is known', { foo: 1 }, [], []],
    ['no list in its place', { errors: { message: 'a' } }, [], []],
    ['a text of JSON', '"no"', ['no'], []],
    ['nothing', '  ', [], []],
    ['null', 'null', [], []],
    ['a list', '[1]', [], []],
    ['plain text', ' Service down ', ['Service down'], []],
    ['half of JSON', '{"errors":', ['{"errors":'], []],
  ])('reads %s', (_what, body, sentences, errors) => {
    expect(read(body)).toEqual({ sentences, errors });
  });

  it('takes nothing from `__proto__`, and puts nothing there', () => {
    const text = '{"__proto__":{"message":"a"},"errors":[{"__proto__":{"message":"b"}}]}';
    expect(read(text)).toEqual({ sentences: [], errors: [] });
    expect(({} as Record<string, unknown>)['message']).toBeUndefined();
  });

  it('shows no more of a long text than a person reads', () => {
    expect(read('x'.repeat(2000)).sentences).toEqual(['x'.repeat(500)]);
  });

  it('takes an answer of megabytes for no error body', () => {
    const body = JSON.stringify({ message: 'm', rest: 'x'.repeat(1024 * 1024) });
    expect(read(body).sentences).toEqual([body.slice(0, 500)]);
  });

  it('reads of a page its title, and nothing where it has none', () => {
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

  it('looks for the title once, however often one is begun', () => {
    expect(titleOf('<title'.repeat(500_000))).toBe('');
  });

  // Half of a secret would not be known for one.
  it.each([495, 500, 506])('takes secrets out of a text and of a title before it cuts them, at %d', (end) => {
    const text = `${'x'.repeat(end - 7)}hunter2 y`;
    const shown = `${'x'.repeat(end - 7)}*** y`.slice(0, 500);
    expect(read(text).sentences).toEqual([shown]);
    expect(titleOf(`<title>${text}</title>`)).toBe(shown);
    const page = `<html><title>${text}</title></html>`;
    expect(readAnswer(page, 'text/html').sentences).toEqual([shown]);
  });

  it('takes secrets out of all that it gives', () => {
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

  it('knows a secret that ends in a blank or holds a bracket', () => {
    const holding = (secret: string) => (text: string) => text.replaceAll(secret, '***');
    expect(readEnvelope(answer('no hunter '), holding('hunter ')).sentences).toEqual(['no ***']);
    expect(readEnvelope(answer('{"message":"no hunter "}'), holding('hunter ')).sentences).toEqual(['no ***']);
    expect(htmlTitle('<title>no hunter<2</title>', holding('hunter<2'))).toBe('no ***');
  });
});

describe('a page for a browser', () => {
  it.each([
    ['text/html', 'x', true],
    ['TEXT/HTML; charset=x', '', true],
    ['application/xhtml+xml', 'x', false],
    ['application/json', '<!DOCTYPE html>', true],
    ['', '  \n<html lang="en">', true],
    ['', '<htmlx>', false],
    ['application/json', '{"a":"<html>"}', false],
    ['text/plain', 'html', false],
  ])('%j with %j: %s', (type, text, expected) => {
    expect(isHtml(answer(text, type))).toBe(expected);
    if (type === '') expect(isHtml(answered(text))).toBe(expected);
  });
});
