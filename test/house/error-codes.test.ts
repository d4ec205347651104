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

const NETWORK = /^ {2}'?([a-z-]+)'?: \(/gm;

test('the registry has every code that is given below it', () => {
  // `fail` takes codes of the registry only; the rooms below it write the code into the error.
  const given = texts.flatMap((text) =>
    [...text.matchAll(/new CliError\(\{[^;]*?\bcode: (?:[^,;\n]*\? )?'([a-z_.]+)'(?: : '([a-z_.]+)')?/g)].flatMap(
      (match) => match.slice(1).filter(Boolean),
    ),
  );
  expect(given.length).toBeGreaterThan(5);
  // The default of a guard's name.
  expect(given.filter((code) => !(code in ERRORS) && code !== 'delete')).toEqual([]);
});

test('every code of the registry is given', () => {
  const words = readFileSync(join(SRC, 'lib/http/answer/network-failure.ts'), 'utf8');
  const kinds = [...words.slice(words.indexOf('const WORDS')).matchAll(NETWORK)].map(([, kind = '']) => kind);
  const network = kinds.filter((kind) => kind !== 'aborted').map((kind) => `network.${kind.replace('-', '_')}`);
  expect(network.length).toBeGreaterThan(8);
  // Put together from the guard that refused.
  const codes = ERROR_CODES.filter((code) => !/^(roles|warehouse)\.guard\./.test(code));
  const idle = codes.filter((code) => !network.includes(code) && !texts.some((text) => text.includes(`'${code}'`)));
  expect(idle).toEqual([]);
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
