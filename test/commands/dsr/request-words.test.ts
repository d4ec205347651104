// In a request from any source, the regulation and the type may be in any letter case, and the time must not be in the
// future.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

/** The sources of a request: flags, a body in each format, and rows in each format. */
const SOURCES = [
  'flags',
  'body.json',
  'body.yaml',
  'rows.csv',
  'rows.ndjson',
  'bodies.ndjson',
  'rows.csv with flags',
] as const;
type Source = (typeof SOURCES)[number];

function lineOf(source: Source, regulation: string, type: string, time: string): string {
  const body = {
    regulation,
    subject_request_type: type,
    submitted_time: time,
    subject_identities: { email: { value: 'a@b.example', encoding: 'raw' } },
  };
  const row = { regulation, subject_request_type: type, submitted_time: time, email: 'a@b.example' };
  const flags = `--regulation ${regulation} --type ${type} --submitted-time ${time}`;
  switch (source) {
    case 'flags':
      return `dsr submit ${flags} --identity email=a@b.example`;
    case 'body.json':
      home.write(source, JSON.stringify(body));
      return `dsr submit -f ${source}`;
    case 'body.yaml':
      home.write(
        source,
        `regulation: ${regulation}\nsubject_request_type: ${type}\nsubmitted_time: "${time}"\nsubject_identities:\n  email: {value: a@b.example, encoding: raw}\n`,
      );
      return `dsr submit -f ${source}`;
    case 'rows.csv':
      home.write(source, `${Object.keys(row).join(',')}\n${Object.values(row).join(',')}\n`);
      return `dsr submit --bulk ${source}`;
    case 'rows.ndjson':
      home.write(source, JSON.stringify(row));
      return `dsr submit --bulk ${source}`;
    case 'bodies.ndjson':
      home.write(source, JSON.stringify({ subject_request_id: '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11', ...body }));
      return `dsr submit --bulk ${source}`;
    case 'rows.csv with flags':
      home.write('one.csv', 'email\na@b.example\n');
      return `dsr submit --bulk one.csv ${flags}`;
  }
}

const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

describe.each(SOURCES)('a request from %s', (source) => {
  it('is sent with its regulation and type in lower case', async () => {
    const { code, data, stderr } = await home.json<{ requests: { body: Record<string, string> }[] }>(
      `${lineOf(source, 'GDPR', 'Access', ago(1))} --dry-run`,
    );
    expect(code, stderr).toBe(0);
    expect(data.requests[0]?.body).toMatchObject({ regulation: 'gdpr', subject_request_type: 'access' });
    expect((await home.run(`${lineOf(source, 'CCPA', 'ACCESS', ago(1))} --yes`)).code).toBe(0);
    expect(await home.received('POST', '/v3/requests')).toBe(1);
  });

  it('is rejected if its time is in the future, and nothing is sent', async () => {
    const { code, error } = await home.json(`${lineOf(source, 'gdpr', 'access', ago(-2))} --yes`);
    expect([code, error.code]).toEqual([9, 'input.invalid']);
    const messages = [error.message, ...error.issues.map(({ message }) => message)].join();
    expect(messages).toMatch(/is in the future .*check its year and time zone/);
    expect(await home.received('POST', '/v3')).toBe(0);
  });

  it('is sent with a warning about how many days ago its deadline passed', async () => {
    const { code, stderr } = await home.run(`${lineOf(source, 'ccpa', 'access', ago(50))} --yes`);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/deadline .*passed 5 days ago/);
  });
});

it.each(['prepare rows.csv --out prepared.csv', 'submit --bulk rows.csv --dry-run'])(
  'reports the row whose time is in the future: dsr %s',
  async (line) => {
    home.write('rows.csv', `email,submitted_time\na@b.example,${ago(1)}\nb@b.example,2062-11-01T00:00:00Z\n`);
    const { code, error } = await home.json(`dsr ${line} --regulation Gdpr --type Erasure`);
    expect([code, error.issues.map((issue) => [issue.line, issue.path])]).toEqual([9, [[3, 'submitted_time']]]);
  },
);

it('prints the number of rows whose deadline has passed', async () => {
  home.write(
    'rows.csv',
    `email,submitted_time\na@b.example,${ago(50)}\nb@b.example,${ago(60)}\nc@b.example,${ago(1)}\n`,
  );
  const { stderr } = await home.run('dsr submit --bulk rows.csv --regulation ccpa --type access --dry-run');
  expect(stderr).toContain('2 rows have deadlines that have passed, the earliest 15 days ago (rows 1, 2).');
});
