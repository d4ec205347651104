// SQL queries are checked, and rewritten for the warehouse file.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokenize } from '../../../../../src/lib/emulator/warehouse/sql-tokens.ts';
import { describeForm, resolveAmong, rewriteTables } from '../../../../../src/lib/emulator/warehouse/sql.ts';

describe('a query', () => {
  test.each([
    'SELECT 1',
    'select 1;',
    '  -- a comment\n SELECT 1 ; -- another\n',
    '/* ; */ WITH a AS (SELECT 1) SELECT * FROM a;;',
    'SELECT \';\', "a;b", `c;d`, [e;f] FROM a',
    'WITH a AS (SELECT 1), b AS (VALUES (1)) SELECT 1',
    "SELECT 'it''s', replace(a, 'x', 'y') FROM a",
    'SELECT \'it\\\'s; DELETE\', """it\'s""" FROM a // it\'s (all',
    "SELECT $$it's$$ FROM a # it's (all",
    'SELECT DISTINCT a, FROM b',
    'SELECT "from" FROM a WHERE EXISTS (SELECT 1)',
    'SELECT a."into", b.into, "into" FROM a',
    "WITH a AS (SELECT INSERT(b, 1, 2, 'c') FROM d WHERE (INSERT(b, 1, 2, 'c')) = e) SELECT * FROM a",
    'SELECT a FROM b, LATERAL FLATTEN(input => c) QUALIFY 1 = 1',
  ])('is valid: %j', (sql) => {
    expect(describeForm(sql)).toBeUndefined();
  });

  test.each([
    ['', 'the query is empty'],
    [' -- nothing', 'the query is empty'],
    [';', 'the query is empty'],
    ['SELECT 1; SELECT 2', 'only a single statement is allowed'],
    ['DELETE FROM a', 'a query begins with SELECT or WITH, not with DELETE'],
    ['PRAGMA user_version', 'a query begins with SELECT or WITH, not with PRAGMA'],
    ["ATTACH 'x' AS y", 'a query begins with SELECT or WITH, not with ATTACH'],
    ['WITH a AS (SELECT 1) DELETE FROM b', 'only SELECT is allowed, not DELETE'],
    ['WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a', 'only SELECT is allowed, not INSERT'],
    ['SELECT * INTO a FROM b', 'only SELECT is allowed, not INTO'],
    ['WITH a AS (SELECT 1) SELECT * into a FROM b', 'only SELECT is allowed, not into'],
    ['WITH a AS (DELETE FROM b RETURNING *) SELECT * FROM a', 'only SELECT is allowed, not DELETE'],
    ['WITH a AS NOT MATERIALIZED (UPDATE b SET c = 1) SELECT 1', 'only SELECT is allowed, not UPDATE'],
    ['SELECT 1 FROM (WITH a AS (INSERT INTO b VALUES (1)) SELECT 1)', 'only SELECT is allowed, not INSERT'],
    ['SELECT INTO a FROM b', 'SELECT has no columns'],
    ['SELECT , a FROM b', 'SELECT has no columns'],
    ['SELECT DISTINCT , a FROM b', 'SELECT has no columns'],
    ['WITH a AS (SELECT 1)', 'only SELECT is allowed'],
    ["SELECT 'a", "' is not closed"],
    ['SELECT 1 /* a', '/* is not closed'],
    ['SELECT [a', '[ is not closed'],
    ['SELECT (a FROM b', '( is not closed'],
    ['SELECT a) FROM b', 'unmatched )'],
    ['SELECT', 'SELECT has no columns'],
    ['SELECT FROM a', 'SELECT has no columns'],
    ['SELECT DISTINCT FROM a', 'SELECT has no columns'],
    ['SELECT a FROM (SELECT)', 'SELECT has no columns'],
    ["SELECT 'it\\'s; DELETE'; DELETE FROM a", "' is not closed"],
  ])('is invalid: %j', (sql, problem) => {
    expect(describeForm(sql)).toBe(problem);
  });

  test('is checked at any length', () => {
    expect(describeForm(`SELECT ${'='.repeat(300_000)} FROM a`)).toBeUndefined();
    expect(describeForm(`SELECT ${'('.repeat(300_000)}`)).toBe('( is not closed');
  });
});

describe('rewriteTables', () => {
  const rewrite = (sql: string, tables: string[] = []): string => rewriteTables(sql, resolveAmong(tables));

  test.each([
    ['SELECT * FROM a.b.c', 'SELECT * FROM "a.b.c" AS "c"'],
    ['SELECT * FROM a.b x', 'SELECT * FROM "a.b" x'],
    ['SELECT * FROM a.b AS x;', 'SELECT * FROM "a.b" AS x'],
    ['SELECT t.x FROM t', 'SELECT t.x FROM t'],
    ['SELECT a.b.c.x, a.b.c.* FROM a.b.c', 'SELECT "c"."x", "c".* FROM "a.b.c" AS "c"'],
    [
      'SELECT x.y FROM a.b, c.d JOIN e.f ON x.y = x.z',
      'SELECT x.y FROM "a.b" AS "b", "c.d" AS "d" JOIN "e.f" AS "f" ON x.y = x.z',
    ],
    [
      'SELECT * FROM (SELECT * FROM a.b) s WHERE s.x IN (SELECT x FROM c.d)',
      'SELECT * FROM (SELECT * FROM "a.b" AS "b") s WHERE s.x IN (SELECT x FROM "c.d" AS "d")',
    ],
    ['SELECT * FROM (a.b JOIN c.d USING (k))', 'SELECT * FROM ("a.b" AS "b" JOIN "c.d" AS "d" USING (k))'],
    ['SELECT extract(year FROM a.b) FROM c.d', 'SELECT extract(year FROM a.b) FROM "c.d" AS "d"'],
    ['SELECT a.x IS DISTINCT FROM a.y FROM a', 'SELECT a.x IS DISTINCT FROM a.y FROM a'],
    ["SELECT 'FROM a.b' -- FROM a.b\nFROM c.d", 'SELECT \'FROM a.b\' -- FROM a.b\nFROM "c.d" AS "d"'],
    ['SELECT * FROM "A b"."c""d"', 'SELECT * FROM "A b.c""d" AS "c""d"'],
    ['SELECT * FROM `p.d.t`', 'SELECT * FROM "p.d.t" AS "t"'],
    [
      'SELECT * FROM a.b LEFT JOIN c.d ON 1 ORDER BY 1',
      'SELECT * FROM "a.b" AS "b" LEFT JOIN "c.d" AS "d" ON 1 ORDER BY 1',
    ],
    ['SELECT 1 FROM a.b UNION SELECT x.y FROM x', 'SELECT 1 FROM "a.b" AS "b" UNION SELECT x.y FROM x'],
  ])('rewrites %j to %j', (sql, expected) => {
    expect(rewrite(sql)).toBe(expected);
  });

  test.each<[string[], string]>([
    [['c'], '"c"'],
    [['b.c', 'c'], '"b.c" AS "c"'],
    [['A.B.C', 'c'], '"A.B.C" AS "c"'],
    [['other'], '"a.b.c" AS "c"'],
  ])('uses the longest matching name among the tables %j', (tables, expected) => {
    expect(rewrite('SELECT * FROM a.b.c', tables)).toBe(`SELECT * FROM ${expected}`);
  });
});

test('never loses a character while tokenizing', () => {
  const piece = fc.constantFrom(
    "'",
    '"',
    '`',
    '[',
    ']',
    '--',
    '/*',
    '*/',
    '\n',
    ' ',
    'a',
    'É',
    '1.5',
    '.',
    ';',
    '(',
    '😀',
    '\u0000',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const sql = pieces.join('');
      const tokens = tokenize(sql);
      expect(tokens.map(({ text }) => text).join('')).toBe(sql);
      expect(tokens.every(({ text }) => text.length > 0)).toBe(true);
    }),
  );
});
