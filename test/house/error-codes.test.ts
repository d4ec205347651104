// The error registry contains exactly the codes that the program uses, each with its exit code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { errorPage, ERROR_CODES } from '../../src/commands/help/topics.ts';
import { topics } from '../../src/commands/help/topics.ts';
import type { ErrorEntry } from '../../src/lib/errors/entry.ts';
import { ERRORS } from '../../src/lib/errors/registry.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

const texts = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && (!name.startsWith(join('lib', 'errors')) || name.endsWith('fail.ts')))
  .map((name) => readFileSync(join(SRC, name), 'utf8'));

test('registers every code that the sources use', () => {
  // `fail` accepts only registered codes; lower layers write the code into the error.
  const given = texts.flatMap((text) =>
    [...text.matchAll(/new KnownError\(\{[^;]*?\bcode: (?:[^,;\n]*\? )?'([a-z_.]+)'(?: : '([a-z_.]+)')?/g)].flatMap(
      (match) => match.slice(1).filter(Boolean),
    ),
  );
  expect(given.length).toBeGreaterThan(5);
  expect(given.filter((code) => !(code in ERRORS) && code !== 'delete')).toEqual([]);
});

test('uses every registered code in the sources', () => {
  // The codes of guards and of network failures are composed from their names.
  const codes = ERROR_CODES.filter((code) => !/^(network|(roles|warehouse)\.guard)\./.test(code));
  expect(codes.filter((code) => !texts.some((text) => text.includes(`'${code}'`)))).toEqual([]);
});

test("sets an exit code in the sources only if it differs from the registry's", () => {
  const idle = texts.flatMap((text) =>
    [...text.matchAll(/\bfail\('([a-z_.]+)', \{[^;]*?\bexit: '(\w+)'/g)].filter(
      ([, code = '', exit]) => (ERRORS as Readonly<Record<string, ErrorEntry>>)[code]?.exit === exit,
    ),
  );
  expect(idle.map(([text]) => text)).toEqual([]);
});

describe('help', () => {
  test.each(ERROR_CODES)('describes error %s and its fix', (code) => {
    const { explanation, fix, summary } = ERRORS[code];
    const page = errorPage(code);
    for (const text of [summary, explanation, fix]) {
      expect(text).toMatch(/^[`A-Z-].*[.]$/);
      expect(page).toContain(text);
    }
    expect(topics['exit-codes']).toContain(code);
  });

  test('suggests the nearest code for a misspelled one', () => {
    expect(() => errorPage('roles.asigned')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('`roles.assigned`') }),
    );
  });
});
