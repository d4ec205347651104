// Programs tell errors apart by their code: the registry has each that can be given, with its exit code, and no other.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { errorPage, ERROR_CODES } from '../../src/commands/help/error-page.ts';
import { topics } from '../../src/commands/help/topics.ts';
import type { ErrorEntry } from '../../src/lib/errors/entry.ts';
import { ERRORS } from '../../src/lib/errors/registry.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

const texts = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith(join('lib', 'errors')))
  .map((name) => readFileSync(join(SRC, name), 'utf8'));

/** `code: 'seed.no_row'`, `'http.gone': EXIT.notFound`, `code: isGone ? 'a.b' : 'c.d'`. */
const GIVEN =
  /\bcode: (?:[^,;\n]*\? )?'([a-z]+(?:\.[a-z_.]+)?|hung_up)'(?: : '([a-z]+\.[a-z_.]+)')?|'((?:auth|http)\.[a-z_]+)': EXIT|: '([a-z]+\.confirm)'/g;

const NETWORK = /^ {2}'?([a-z-]+)'?: \(/gm;

test('the registry has every code that can be given, and no other', () => {
  const given = texts.flatMap((text) => [...text.matchAll(GIVEN)].flatMap((match) => match.slice(1).filter(Boolean)));
  const words = readFileSync(join(SRC, 'lib/http/answer/network-failure.ts'), 'utf8');
  const kinds = [...words.slice(words.indexOf('const WORDS')).matchAll(NETWORK)].map(([, kind = '']) => kind);
  const network = kinds.filter((kind) => kind !== 'aborted').map((kind) => `network.${kind.replace('-', '_')}`);
  expect(network.length).toBeGreaterThan(8);
  // zod's word for an issue, and the default of a guard.
  const known = new Set([...given, ...network].filter((code) => !['custom', 'delete'].includes(code)));
  // Put together from the guard that refused.
  const codes = ERROR_CODES.filter((code) => !/^(roles|warehouse)\.guard\./.test(code));
  expect(codes.toSorted()).toEqual([...known].sort());
});

test('a code ends the program as the registry says, where it always ends it alike', () => {
  const wrong = texts.flatMap((text) =>
    [...text.matchAll(/\bcode: '([a-z_.]+)',[^;]*?\bexit: EXIT\.(\w+),?\n/g)].flatMap(([, code = '', exit]) => {
      const entry = (ERRORS as Readonly<Record<string, ErrorEntry>>)[code];
      return entry && entry.exit !== exit ? [`${code}: ${exit}`] : [];
    }),
  );
  expect(wrong).toEqual([]);
});

describe('help', () => {
  test.each(ERROR_CODES)('error %s says what it means and how to fix it', (code) => {
    const { explanation, fix, summary } = ERRORS[code];
    const page = errorPage(code);
    for (const text of [summary, explanation, fix]) {
      expect(text).toMatch(/^[`A-Z-].*[.]$/);
      expect(page).toContain(text);
    }
    expect(topics['exit-codes']).toContain(code);
  });

  test('error with a misspelt code proposes the nearest', () => {
    expect(() => errorPage('roles.asigned')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('`roles.assigned`') }),
    );
  });
});
