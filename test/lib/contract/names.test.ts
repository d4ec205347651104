// Wire names: both ways, whole words before prefixes, only where marked.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkNames, createWireNames, NameCollision } from '../../../src/lib/contract/names.ts';

const NAMES = { xpid: 'pid', 'osa_*': 'phone_', osa_id: 'handset', 'cloud_*': 'vendor_', PROVIDER_A: 'flake' };

describe('words', () => {
  const { toWire, fromWire } = createWireNames(NAMES);

  it.each([
    ['xpid', 'pid'],
    ['osa_advertising_id', 'phone_advertising_id'],
    ['osa_id', 'handset'],
    ['cloud_external_id', 'vendor_external_id'],
    ['email', 'email'],
    ['osa_', 'osa_'],
    ['an_osa_id', 'an_osa_id'],
    ['toString', 'toString'],
  ])('%s is %s on the wire, and back', (neutral, wire) => {
    expect(toWire(neutral)).toBe(wire);
    expect(fromWire(wire)).toBe(neutral);
  });

  it('leaves a word of the deployment as it is on the way out: files may hold either', () => {
    expect(toWire('pid')).toBe('pid');
    expect(fromWire('xpid')).toBe('xpid');
  });

  it('survives the round trip for any word that no rule makes', () => {
    const letters = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(letters, { minLength: 2, maxLength: 12 }).filter((words) => words.length % 2 === 0),
        letters,
        (words, other) => {
          const half = words.length / 2;
          const names = Object.fromEntries(
            words.slice(0, half).map((word, index) => [word, words[half + index] ?? '']),
          );
          const map = createWireNames(names);
          for (const word of [...Object.keys(names), other]) {
            if (Object.values(names).includes(word)) continue;
            expect(map.fromWire(map.toWire(word))).toBe(word);
          }
        },
      ),
    );
  });
});

describe('values', () => {
  const names = createWireNames(NAMES);
  const marks = [
    'keys:',
    'keys:[].identities',
    'value:config.provider',
    'keys:extensions.*.subject_identities',
  ] as const;

  it('maps marked keys and values, and nothing else', () => {
    const body = {
      xpid: 9223372036854775807n,
      config: { provider: 'PROVIDER_A', note: 'PROVIDER_A', xpid: 1 },
      extensions: { 'opendsr.x': { subject_identities: { osa_id: { value: 'xpid' } }, xpid: true } },
      list: ['xpid'],
    };
    expect(names.encode(body, marks)).toEqual({
      pid: 9223372036854775807n,
      config: { provider: 'flake', note: 'PROVIDER_A', xpid: 1 },
      extensions: { 'opendsr.x': { subject_identities: { handset: { value: 'xpid' } }, xpid: true } },
      list: ['xpid'],
    });
    expect(names.decode(names.encode(body, marks), marks)).toEqual(body);
  });

  it('walks lists, leaves what it was given untouched, and minds no other shape', () => {
    const rows = Object.freeze([Object.freeze({ identities: Object.freeze({ osa_id: 'a' }) }), null, 7]);
    expect(names.encode(rows, ['keys:[].identities'])).toEqual([{ identities: { handset: 'a' } }, null, 7]);
    expect(names.encode(7, marks)).toBe(7);
  });

  it('refuses two keys that become one word, rather than lose one', () => {
    expect(() => names.encode({ xpid: 1, pid: 2 }, ['keys:'])).toThrow(NameCollision);
  });

  it('cannot be led to a prototype', () => {
    const evil = createWireNames({ xpid: '__proto__' });
    const result = evil.encode({ xpid: { hacked: true } }, ['keys:']) as Record<string, unknown>;
    expect(Object.keys(result)).toEqual(['__proto__']);
    expect(result['hacked']).toBeUndefined();
  });
});

describe('checkNames', () => {
  it.each([
    [{ xpid: 'pid', 'osa_*': 'phone_*' }, []],
    [{ xpid: '' }, ['xpid']],
    [{ 'osa_*': '*' }, ['osa_*']],
    [{ xpid: 'p_*' }, ['xpid']],
    [{ xpid: 'pid', other: 'pid' }, ['other']],
  ])('%j has issues at %j', (map, places) => {
    expect(checkNames(map).map((issue) => issue.name)).toEqual(places);
  });
});
