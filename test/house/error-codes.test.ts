// Programs tell errors apart by their code: the page of exit codes names each that there is, and no other.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { topics } from '../../src/commands/help/topics.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/** `code: 'seed.no_row'`, `'http.gone': EXIT.notFound`, `failure('files.read', …)`. */
const GIVEN =
  /\bcode: (?:[^,;\n]*\? )?'([a-z]+\.[a-z_.]+)'(?: : '([a-z]+\.[a-z_.]+)')?|'((?:auth|http)\.[a-z_]+)': EXIT|: '([a-z]+\.confirm)'/g;

const NETWORK = /^ {2}'?([a-z-]+)'?: \(/gm;

test('every code of an error is on the page of exit codes, and every one there can be given', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = files.map((name) => readFileSync(join(SRC, name), 'utf8'));
  const given = texts.flatMap((text) => [...text.matchAll(GIVEN)].flatMap((match) => match.slice(1).filter(Boolean)));
  const words = readFileSync(join(SRC, 'lib/http/network-failure.ts'), 'utf8');
  const kinds = [...words.slice(words.indexOf('const WORDS')).matchAll(NETWORK)].map(([, kind = '']) => kind);
  const network = kinds.filter((kind) => kind !== 'aborted').map((kind) => `network.${kind.replace('-', '_')}`);
  expect(network.length).toBeGreaterThan(8);
  const page = topics['exit-codes'] ?? '';
  const told = page.slice(page.indexOf('Codes of errors')).match(/\b[a-z]+\.[a-z_]+(?:\.[a-z_]+)*\b/g) ?? [];
  const known = new Set([...given, ...network]);
  // Put together from the guard that refused.
  const guards = ['roles.guard', 'warehouse.guard'];
  expect([...new Set(told)].filter((code) => !guards.includes(code)).sort()).toEqual([...known].sort());
});
