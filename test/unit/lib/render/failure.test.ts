// Errors on screen, in Markdown and in JSON, without secrets or control characters.
import { describe, expect, it, test } from 'vitest';
import { exitOf } from '../../../../src/lib/errors/fail.ts';
import { KnownError, invalidInput, usageError } from '../../../../src/lib/kernel/errors.ts';
import { createRedactor } from '../../../../src/lib/kernel/redact.ts';
import { bugError, failureJson, failureMarkdown, failureScreen } from '../../../../src/lib/render/failure.ts';
import { EXIT } from '../../../../src/lib/errors/entry.ts';
import { plainStyle } from '../../../../src/lib/render/style.ts';

const errors: Record<string, KnownError> = {
  usage: usageError('Unknown command `rols` for `cdpadm`.', 'Did you mean `roles`?'),
  request: new KnownError({
    code: 'roles.assigned',
    message: 'Custom role is assigned to a user and may not be deleted',
    hint: 'Take the role from its users first.',
    status: 400,
    request: { id: '3f1c', method: 'PUT', path: '/platform/v2/organizations/1/accounts/2/roles' },
  }),
  issues: invalidInput('roles.yaml is not a valid roles file: 3 issues. Nothing was sent.', [
    { file: 'roles.yaml', line: 3, column: 7, path: 'roles[0].name', message: 'name is empty' },
    { file: 'roles.yaml', path: 'roles', message: 'forged\nline \u001b[2J' },
    { path: '', message: 'something' },
  ]),
};

describe('an error on screen', () => {
  it.each(Object.keys(errors))('matches its golden file: %s', async (name) => {
    const text = failureScreen(errors[name] as KnownError, plainStyle, createRedactor());
    await expect(text).toMatchFileSnapshot(`../../../golden/failure-${name}.txt`);
  });

  test('lists 50 issues and counts the rest', () => {
    const issues = Array.from({ length: 60 }, (_, index) => ({ path: `roles[${index}]`, message: 'wrong' }));
    const lines = failureScreen(invalidInput('Wrong.', issues), plainStyle, createRedactor()).split('\n');
    expect(lines).toHaveLength(1 + 50 + 1 + 1);
    expect(lines[51]).toBe('  … and 10 more; -o json lists them all');
  });
});

describe('an error with more issues than it keeps', () => {
  const issues = Array.from({ length: 1234 }, (_, index) => ({ path: `roles[${index}]`, message: 'wrong' }));
  const error = invalidInput('Wrong.', issues).with({ message: 'Still wrong.' });

  test('lists the first 1,000 in JSON and counts the rest', () => {
    const { error: reported } = JSON.parse(failureJson(error, createRedactor())) as {
      error: { issues: unknown[]; issues_omitted: number };
    };
    expect(reported.issues).toHaveLength(1000);
    expect(reported.issues_omitted).toBe(234);
  });

  test('counts all remaining issues on screen and in Markdown', () => {
    const rest = '… and 1184 more;';
    expect(failureScreen(error, plainStyle, createRedactor())).toContain(`${rest} -o json lists the first 1000`);
    expect(failureMarkdown(error, 9, createRedactor())).toContain(`${rest} \`-o json\` lists the first 1000`);
  });
});

describe('an error as Markdown', () => {
  it.each(Object.keys(errors))('matches its golden file: %s', async (name) => {
    const error = errors[name] as KnownError;
    const text = failureMarkdown(error, EXIT[exitOf(error)], createRedactor());
    await expect(text).toMatchFileSnapshot(`../../../golden/failure-${name}.md`);
  });

  test('lists 50 issues and counts the rest', () => {
    const issues = Array.from({ length: 60 }, (_, index) => ({ path: `roles[${index}]`, message: 'wrong' }));
    const lines = failureMarkdown(invalidInput('Wrong.', issues), 9, createRedactor()).split('\n');
    expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(51);
    expect(lines).toContain('- … and 10 more; `-o json` lists them all');
  });

  test('masks a secret before escaping Markdown characters', () => {
    const redactor = createRedactor();
    redactor.add('s3cret_*value');
    const issue = { path: 's3cret_*value', message: 'is s3cret_*value', file: 's3cret_*value.csv' };
    const text = failureMarkdown(invalidInput('`s3cret_*value`', [issue], 'Not s3cret_*value.'), 9, redactor);
    expect(text).not.toMatch(/s3cret|value/);
  });
});

describe('an error as JSON', () => {
  it.each(Object.keys(errors))('matches its golden file: %s', async (name) => {
    const text = failureJson(errors[name] as KnownError, createRedactor());
    expect(text.trimEnd()).not.toContain('\n');
    const pretty = `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`;
    await expect(pretty).toMatchFileSnapshot(`../../../golden/failure-${name}.json`);
  });
});

test('masks a secret in a message on screen and in JSON', () => {
  const redactor = createRedactor();
  redactor.add('s3cret-value');
  const error = usageError('The server said s3cret-value.');
  expect(failureScreen(error, plainStyle, redactor)).toContain('The server said ********.');
  expect(failureJson(error, redactor)).toContain('The server said ********.');
});

test('truncates a huge string without leaving a part of a secret', () => {
  const redactor = createRedactor();
  redactor.add('s3cret-value');
  const [long, split] = ['x'.repeat(1e6), `${'x'.repeat(1995)}s3cret-value${'x'.repeat(1e5)}`];
  const error = invalidInput(long, [{ path: long, message: split, line: 1, column: 1, file: 'a.csv' }], long);
  for (const text of [failureScreen(error, plainStyle, redactor), failureJson(error, redactor)]) {
    expect(text.length).toBeLessThan(20_000);
    expect(text).toContain('… (1000000 characters) …');
    expect(text).not.toContain('s3cr');
  }
});

test('reports an unexpected error as a bug, with its stack only if --debug is set', () => {
  const cause = new TypeError('x is undefined');
  expect(bugError(cause, false)).toMatchObject({
    code: 'bug',

    message: 'This is a bug in cdpadm: x is undefined',
  });
  expect(bugError(cause, true).message).toContain('failure.test.ts');
  expect(bugError('thrown text', false).message).toContain('thrown text');
});
