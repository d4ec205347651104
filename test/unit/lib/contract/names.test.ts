// Wire names are translated in both directions, whole words before prefixes, and only in marked fields.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkNames, createWireNames, NameCollision, pathAsWritten } from '../../../../src/lib/contract/names.ts';

const NAMES = {
  xpid: 'pid',
  'o*': 'x_',
  'osa_*': 'phone_',
  'osa_vendor_*': 'maker_',
  osa_id: 'handset',
  'cloud_*': 'vendor_',
  PROVIDER_A: 'flake',
};

describe('the translation of words', () => {
  it.each([
    ['xpid', 'pid'],
    ['osa_advertising_id', 'phone_advertising_id'],
    ['osa_id', 'handset'],
    ['cloud_external_id', 'vendor_external_id'],
    ['email', 'email'],
    ['osa_vendor_id', 'maker_id'],
    ['osa_vendor_', 'phone_vendor_'],
    ['osb', 'x_sb'],
    ['cloud_', 'cloud_'],
    ['o', 'o'],
    ['xpids', 'xpids'],
    ['an_osa_id', 'an_osa_id'],
    ['toString', 'toString'],
  ])('converts %s to %s for the wire, and back', (neutral, wire) => {
    const names = createWireNames(NAMES);
    expect(names.toWire(neutral)).toBe(wire);
    expect(names.fromWire(wire)).toBe(neutral);
  });

  it('leaves a deployment-specific word unchanged when encoding, because files may contain it', () => {
    const names = createWireNames(NAMES);
    expect(names.toWire('pid')).toBe('pid');
    expect(names.fromWire('xpid')).toBe('xpid');
  });

  it('restores every word that is not the wire name of another word', () => {
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

describe('the translation of values', () => {
  const named = () => createWireNames(NAMES);
  const marks = [
    'keys:',
    'keys:[].identities',
    'value:config.provider',
    'keys:extensions.*.subject_identities',
  ] as const;

  it('changes only marked keys and values', () => {
    const body = {
      xpid: 9223372036854775807n,
      config: { provider: 'PROVIDER_A', note: 'PROVIDER_A', xpid: 1 },
      extensions: { 'opendsr.x': { subject_identities: { osa_id: { value: 'xpid' } }, xpid: true } },
      list: ['xpid'],
    };
    expect(named().encode(body, marks)).toEqual({
      pid: 9223372036854775807n,
      config: { provider: 'flake', note: 'PROVIDER_A', xpid: 1 },
      extensions: { 'opendsr.x': { subject_identities: { handset: { value: 'xpid' } }, xpid: true } },
      list: ['xpid'],
    });
    expect(named().decode(named().encode(body, marks), marks)).toEqual(body);
  });

  it('changes the keys of an object whose own name is mapped', () => {
    const words = createWireNames({ identities: 'ids', email: 'mail' });
    const marks = ['keys:', 'keys:identities'] as const;
    const body = { identities: { email: 'a' } };
    expect(words.encode(body, marks)).toEqual({ ids: { mail: 'a' } });
    expect(words.decode({ ids: { mail: 'a' } }, marks)).toEqual(body);
  });

  it('translates lists, does not mutate its input, and ignores other shapes', () => {
    const rows = Object.freeze([Object.freeze({ identities: Object.freeze({ osa_id: 'a' }) }), null, 7]);
    expect(named().encode(rows, ['keys:[].identities'])).toEqual([{ identities: { handset: 'a' } }, null, 7]);
    expect(named().encode(7, marks)).toBe(7);
  });

  it('rejects two keys that map to the same word, instead of dropping one', () => {
    const collide = (): unknown => named().encode({ xpid: 1, pid: 2 }, ['keys:']);
    expect(collide).toThrow(NameCollision);
    expect(collide).toThrow('Two fields have the same name, pid.');
  });

  it('changes a marked value only if it is a string, and keeps the order of keys', () => {
    const value = { kind: 'xpid', list: ['xpid'], none: null };
    const mapped = named().encode(value, ['value:kind', 'value:list', 'value:none.x', 'value:absent', 'keys:list']);
    expect(mapped).toEqual({ kind: 'pid', list: ['xpid'], none: null });
    expect(Object.keys(mapped as object)).toEqual(['kind', 'list', 'none']);
    expect(named().encode({ a: ['xpid', 7] }, ['value:a.[]'])).toEqual({ a: ['pid', 7] });
  });

  it('returns the value unchanged if the deployment has no names of its own', () => {
    const none = createWireNames({});
    const value = { xpid: 1 };
    expect(none.empty).toBe(true);
    expect(named().empty).toBe(false);
    expect(none.encode(value, marks)).toBe(value);
    expect(none.decode(value, marks)).toBe(value);
  });

  it('never sets a prototype', () => {
    const evil = createWireNames({ xpid: '__proto__' });
    const result = evil.encode({ xpid: { hacked: true } }, ['keys:']) as Record<string, unknown>;
    expect(Object.keys(result)).toEqual(['__proto__']);
    expect(result['hacked']).toBeUndefined();
  });
});

describe('the check of deployment-specific names', () => {
  it.each([
    [{ xpid: 'pid', 'osa_*': 'phone_*' }, []],
    [{ xpid: '' }, ['xpid maps to an empty word']],
    [{ 'osa_*': '*' }, ['osa_* maps to an empty word']],
    [{ xpid: 'p_*' }, ['xpid a word cannot map to a prefix']],
    [{ xpid: 'pid', other: 'pid' }, ['other maps to the same word as xpid']],
    [{ xpid: 'pid', 'other_*': 'pid' }, ['other_* maps to the same word as xpid']],
  ])('checks %j and reports the issues %j', (map, issues) => {
    expect(checkNames(map).map(({ name, message }) => `${name} ${message}`)).toEqual(issues);
  });
});

describe("an issue's path in a body with deployment-specific names", () => {
  const body = { pid: 1, config: { osa_id: 'a', phone_x: 'b' }, list: [{ pid: 2 }], none: null };

  it.each<[(string | number)[], (string | number)[]]>([
    [['xpid'], ['pid']],
    [['pid'], ['pid']],
    [
      ['config', 'osa_id'],
      ['config', 'osa_id'],
    ],
    [
      ['config', 'osa_x'],
      ['config', 'phone_x'],
    ],
    [
      ['config', 'osa_y'],
      ['config', 'osa_y'],
    ],
    [
      ['list', 0, 'xpid'],
      ['list', 0, 'pid'],
    ],
    [
      ['list', 1, 'xpid'],
      ['list', 1, 'xpid'],
    ],
    [
      ['none', 'xpid', 'xpid'],
      ['none', 'xpid', 'xpid'],
    ],
    [
      ['xpid', 'osa_id'],
      ['pid', 'osa_id'],
    ],
    [
      ['absent', 'xpid'],
      ['absent', 'xpid'],
    ],
  ])('is written as the user wrote it: %j becomes %j', (path, written) => {
    expect(pathAsWritten(body, path, createWireNames(NAMES))).toEqual(written);
  });
});
