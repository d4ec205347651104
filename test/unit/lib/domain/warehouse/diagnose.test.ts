// Diagnoses why a pipeline does not sync: reports each cause, with the root cause before its consequences.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  diagnose as diagnoseAsData,
  type Diagnosis,
  type Evidence,
  selectedColumns,
} from '../../../../../src/lib/domain/warehouse/diagnose.ts';
import { createWireNames } from '../../../../../src/lib/contract/names.ts';
import { hintText } from '../../../../../src/lib/kernel/errors.ts';

/** Diagnoses a pipeline and converts the hints to text. */
function diagnose(of: Evidence): Diagnosis {
  const { findings, ...rest } = diagnoseAsData(of);
  return { ...rest, findings: findings.map((finding) => ({ ...finding, next: hintText(finding.next) })) };
}

const NOW = Date.parse('2026-03-10T12:00:00Z');
const HOUR = 3_600_000;

function evidence(over: Partial<Evidence> = {}): Evidence {
  return {
    pipeline: {
      id: 'p',
      state: 'active',
      status: 'idle',
      connection_id: 'c',
      data_model_id: 'm',
      schedule: { type: 'on_demand' },
    },
    report: { pipeline_id: 'p', status: 'idle', connection_status: 'healthy', data_model_status: 'valid' },
    connection: { id: 'c', state: 'active', status: 'healthy' },
    model: { id: 'm', state: 'active', status: 'valid' },
    success: undefined,
    names: createWireNames({}),
    now: NOW,
    ...over,
  };
}

const REFUSED =
  'Failed to connect to the warehouse account (credentials, account, region, warehouse or database wrong): credentials rejected: `password`';
const BAD_SQL = 'Invalid SQL: no such table: x';
const NO_PLAN = 'The data plan is not active.';

const faultedConnection = { id: 'c', state: 'active', status: 'faulted', errors: [{ message: REFUSED }] };
const invalidModel = { id: 'm', state: 'active', status: 'invalid', errors: [{ message: BAD_SQL }] };
const run = (status: string, message?: string) => ({
  id: 7,
  status,
  errors: message === undefined ? [] : [{ message }],
  ended_on: new Date(NOW - HOUR).toISOString(),
});

const about = (given: Evidence): string[] => diagnose(given).findings.map((finding) => finding.about);

it('does not report anything for a healthy pipeline', () => {
  const success = run('success');
  const diagnosis = diagnose(evidence({ success, report: { ...evidence().report, latest_pipeline_run: success } }));
  expect(diagnosis).toEqual({
    pipeline_id: 'p',
    healthy: true,
    state: 'active',
    status: 'idle',
    last_success: success.ended_on,
    findings: [],
  });
});

it('returns the status from the report, or from the pipeline if the report has none, or null if neither has one', () => {
  const { pipeline, report } = evidence();
  const statusOf = (of: unknown, own: unknown): unknown =>
    diagnose(
      evidence({ report: { ...report, status: of }, pipeline: { ...pipeline, status: own } } as Partial<Evidence>),
    ).status;
  expect([statusOf('running', 'idle'), statusOf(undefined, 'idle'), statusOf(null, 'idle')]).toEqual([
    'running',
    'idle',
    'idle',
  ]);
  expect(statusOf(undefined, undefined)).toBeNull();
});

it('reports a problem even if the platform does not give a reason', () => {
  const { pipeline } = evidence();
  const given = evidence({
    connection: { id: 'c', state: 'active', status: 'faulted' },
    model: { id: 'm', state: 'active', status: 'invalid' },
    pipeline: { ...pipeline, status: 'faulted' },
    report: { status: 'faulted' },
  });
  const { findings } = diagnose(given);
  expect(findings.map(({ problem }) => problem)).toEqual([
    'The connection to the warehouse is faulted.',
    'The query is invalid.',
    'It is faulted.',
  ]);
  expect(findings[0]?.next).toMatch(/^Check its settings, then /);
  // Each command can be copied and run unchanged, because it does not contain placeholders.
  for (const { next } of findings) expect(next).not.toMatch(/\b[A-Z]{4,}\b/);
});

describe('the root cause', () => {
  it.each<[string, Partial<Evidence>, string[], RegExp, RegExp]>([
    [
      'credentials (505)',
      {
        connection: faultedConnection,
        pipeline: { ...evidence().pipeline, status: 'faulted' },
        report: {
          status: 'faulted',
          connection_status: 'faulted',
          connection_errors: [{ message: REFUSED }],
          latest_pipeline_run: run('failed', REFUSED),
        },
      },
      ['connection c', 'pipeline p', 'run 7'],
      /credentials rejected/,
      /its user and secret.*connections update c/,
    ],
    [
      'a wrong address (505)',
      {
        connection: {
          ...faultedConnection,
          errors: [{ message: REFUSED.replace(/credentials rejected.*/, 'no warehouse matches `account_identifier`') }],
        },
      },
      ['connection c'],
      /no warehouse matches/,
      /its address, then its secret/,
    ],
    [
      'invalid SQL',
      {
        model: invalidModel,
        report: {
          status: 'faulted',
          data_model_status: 'invalid',
          data_model_errors: [{ message: BAD_SQL }],
          latest_pipeline_run: run('failed', BAD_SQL),
        },
      },
      ['data model m', 'pipeline p', 'run 7'],
      /no such table: x/,
      /Fix the SQL.*data-models update m/,
    ],
    [
      'an inactive data plan',
      {
        pipeline: { ...evidence().pipeline, data_plan_id: 'shop' },
        report: { status: 'faulted', errors: [{ message: NO_PLAN }], latest_pipeline_run: run('failed', NO_PLAN) },
      },
      ['pipeline p', 'run 7'],
      /plan is not active/,
      /Activate data plan shop/,
    ],
    [
      'a missing connection',
      { connection: undefined },
      ['connection c'],
      /The connection does not exist/,
      /connections create/,
    ],
    [
      'a missing data model',
      { model: undefined },
      ['data model m'],
      /The data model does not exist/,
      /data-models create/,
    ],
    [
      'an inactive connection, which fails every run',
      {
        connection: { id: 'c', state: 'inactive', status: 'healthy' },
        report: { latest_pipeline_run: run('failed', 'The connection is inactive.') },
      },
      ['connection c', 'run 7'],
      /state is inactive/,
      /connections update c --state active/,
    ],
    [
      'an inactive data model',
      { model: { id: 'm', state: 'inactive' } },
      ['data model m'],
      /state is inactive/,
      /data-models update m --state active/,
    ],
    [
      'a paused pipeline',
      { pipeline: { ...evidence().pipeline, state: 'paused' } },
      ['pipeline p'],
      /is paused/,
      /pipelines resume p/,
    ],
    [
      'an ended schedule',
      {
        pipeline: {
          ...evidence().pipeline,
          schedule: { type: 'interval', frequency: 'daily', end: '2026-03-01T00:00:00Z' },
        },
      },
      ['pipeline p'],
      /schedule ended at 2026-03-01/,
      /Change or remove the end/,
    ],
  ])('is reported first for %s', (_what, over, expected, problem, next) => {
    const diagnosis = diagnose(evidence(over));
    expect(diagnosis.healthy).toBe(false);
    expect(diagnosis.findings.map((finding) => finding.about)).toEqual(expected);
    expect(diagnosis.findings[0]).toMatchObject({
      level: 'problem',
      problem: expect.stringMatching(problem),
      next: expect.stringMatching(next),
    });
  });

  it('is searched for in the order connection, data model, pipeline', () => {
    const all = evidence({
      connection: faultedConnection,
      model: invalidModel,
      report: { status: 'faulted', latest_pipeline_run: run('failed') },
    });
    expect(about(all)).toEqual(['connection c', 'data model m', 'pipeline p', 'run 7']);
  });
});

describe('a notice', () => {
  it.each<[string, Partial<Evidence>, RegExp]>([
    ['the state `new`', { pipeline: { ...evidence().pipeline, state: 'new' } }, /runs only when it is triggered/],
    [
      'failed records',
      { report: { latest_pipeline_run: { ...run('success'), failed_records: 3 } } },
      /3 of its records failed/,
    ],
    [
      'a late run',
      {
        pipeline: { ...evidence().pipeline, schedule: { type: 'interval', frequency: 'hourly' } },
        success: { ...run('success'), ended_on: new Date(NOW - 3 * HOUR).toISOString() },
      },
      /runs hourly and last succeeded 3h ago/,
    ],
  ])('about %s does not make the pipeline unhealthy', (_what, over, problem) => {
    const diagnosis = diagnose(evidence(over));
    expect(diagnosis).toMatchObject({
      healthy: true,
      findings: [{ level: 'notice', problem: expect.stringMatching(problem) }],
    });
  });
});

it('suggests a next step for each finding, lists problems before notices, and is `healthy` only if there are no problems', () => {
  const part = (statuses: string[]) =>
    fc.option(
      fc.record({
        id: fc.constant('x'),
        state: fc.constantFrom('new', 'active', 'inactive'),
        status: fc.constantFrom(...statuses),
        errors: fc.option(fc.array(fc.record({ message: fc.option(fc.string()) }))),
      }),
      { nil: undefined },
    );
  const anyEvidence = fc.record({
    connection: part(['healthy', 'faulted']),
    model: part(['valid', 'invalid']),
    state: fc.constantFrom('new', 'active', 'paused', undefined),
    status: fc.constantFrom('idle', 'running', 'faulted', 'stopped', 'strange', undefined),
    latest: fc.option(
      fc.constantFrom(...['queued', 'running', 'success', 'failed', 'stopped', 'retrying'].map((it) => run(it))),
    ),
  });
  fc.assert(
    fc.property(anyEvidence, ({ connection, model, state, status, latest }) => {
      const diagnosis = diagnose(
        evidence({
          connection,
          model,
          pipeline: { ...evidence().pipeline, state, status },
          report: { status, latest_pipeline_run: latest },
        }),
      );
      const levels = diagnosis.findings.map(({ level }) => level);
      expect(levels).toEqual([...levels].sort().reverse());
      expect(diagnosis.healthy).toBe(!levels.includes('problem'));
      for (const { about: what, problem, next } of diagnosis.findings) {
        expect([what, problem, next].every((text) => text.trim() !== '')).toBe(true);
      }
    }),
  );
});

describe("a finding's exact text", () => {
  const at = (hours: number): string => new Date(NOW - hours * HOUR).toISOString();
  const latest = (of: Record<string, unknown>): Partial<Evidence> => ({
    report: { ...evidence().report, latest_pipeline_run: { ...run('success'), ...of } },
  });
  const scheduled = (schedule: Record<string, unknown>, hours?: number): Partial<Evidence> => ({
    pipeline: { ...evidence().pipeline, schedule },
    ...(hours !== undefined && { success: { ...run('success'), ended_on: at(hours) } }),
  });
  const retryHint =
    'To see the run: `cdpadm pipelines run p 7`. After you fix the cause: cdpadm pipelines trigger p --wait';
  const showHint = 'To see the run: cdpadm pipelines run p 7';
  const [daily, hourly] = [
    { type: 'interval', frequency: 'daily' },
    { type: 'interval', frequency: 'hourly' },
  ];

  it.each<[string, Partial<Evidence>, string[][]]>([
    ['a failed run', latest({ status: 'failed' }), [['problem', 'The latest run failed.', retryHint]]],
    [
      'a stopped run, with each message once',
      latest({ status: 'stopped', errors: [{ message: 'a. b.' }, { message: 'c.' }, { message: 'a. b.' }] }),
      [['problem', 'The latest run was stopped: a. b.; c.', retryHint]],
    ],
    ['rejected records', latest({ failed_records: 3 }), [['notice', '3 of its records failed.', showHint]]],
    [
      'rejected records with a reason',
      latest({ failed_records: 3, errors: [{ message: 'too long' }, { message: null }] }),
      [['notice', '3 of its records failed: too long.', showHint]],
    ],
    ['a run that succeeded', latest({ failed_records: 0 }), []],
    [
      'a schedule that ended',
      scheduled({ ...daily, end: at(1) }),
      [['problem', `Its schedule ended at ${at(1)}.`, 'Change or remove the end of its schedule.']],
    ],
    ['a schedule that ends now', scheduled({ ...daily, end: at(0) }), []],
    ['a schedule that ends later', scheduled({ ...daily, end: at(-1) }), []],
    ['a single run that succeeded before its schedule ended', scheduled({ type: 'once', end: at(1) }, 2), []],
    ['an end that does not apply to an on-demand pipeline', scheduled({ type: 'on_demand', end: at(1) }), []],
    [
      'a schedule that has not started',
      scheduled({ ...daily, start: at(-1) }),
      [['notice', `Its schedule starts at ${at(-1)}.`, 'To run it before then: cdpadm pipelines trigger p --wait']],
    ],
    [
      'a daily schedule that last succeeded three days ago',
      scheduled(daily, 72),
      [['notice', 'It runs daily and last succeeded 3d ago.', 'To list its runs: cdpadm pipelines runs p']],
    ],
    ['a daily schedule that last succeeded exactly two days ago', scheduled(daily, 48), []],
    ['an hourly frequency on demand', scheduled({ ...hourly, type: 'on_demand' }, 72), []],
    ['a schedule with an unknown frequency', scheduled({ ...hourly, frequency: 'fortnightly' }, 9000), []],
    ['an hourly schedule that never succeeded', scheduled(hourly), []],
    ['a pipeline without a schedule', { pipeline: { ...evidence().pipeline, schedule: null } }, []],
  ])('is correct for %s', (_what, over, expected) => {
    const { findings } = diagnose(evidence(over));
    expect(findings.map(({ level, problem, next }) => [level, problem, next])).toEqual(expected);
  });
});

describe('a run that did not send any rows', () => {
  const ended = (over: object) =>
    evidence({
      model: { id: 'm', state: 'active', status: 'valid', config: { sql_query: 'SELECT customer_id, city FROM t' } },
      report: {
        ...evidence().report,
        latest_pipeline_run: { ...run('success'), successful_records: 0, failed_records: 0 },
      },
      ...over,
    });
  const query = (sql: string) => ({ model: { id: 'm', config: { sql_query: sql } } });

  it('is reported as a notice with its range and its iterator field', () => {
    const range = { range_start: '2026-03-01T00:00:00Z', range_end: '2026-03-02T00:00:00Z' };
    const found = diagnose(
      ended({
        pipeline: { ...evidence().pipeline, sync_mode: { type: 'incremental', iterator_field: 'updated_at' } },
        report: { ...evidence().report, latest_pipeline_run: { ...run('success'), successful_records: '0', ...range } },
      }),
    );
    expect(found).toMatchObject({
      healthy: true,
      findings: [
        {
          about: 'run 7',
          level: 'notice',
          problem: 'The latest run read 0 rows from 2026-03-01T00:00:00Z to 2026-03-02T00:00:00Z.',
          next: expect.stringContaining('`updated_at` of new rows') as unknown,
        },
      ],
    });
  });

  it('is not reported if the platform does not return the number of rows', () => {
    expect(about(evidence({ report: { ...evidence().report, latest_pipeline_run: run('success') } }))).toEqual([]);
  });

  it.each([
    ['SELECT e_mail, city FROM t', 'e_mail AS email.'],
    ['SELECT id, client_id, city FROM t', 'id AS customer_id or client_id AS customer_id.'],
    ['SELECT city FROM t', 'such as customer_id, email, mobile_number, xpid.'],
  ])('is reported with a missing identity and suggested columns: %s', (sql, words) => {
    const found = diagnose(ended(query(sql)));
    expect(found).toMatchObject({ healthy: false, findings: [{ about: 'data model m', level: 'problem' }, {}] });
    expect(found.findings[0]?.next).toContain(words);
  });

  it("is reported with a missing identity for `SELECT *` if the run's errors mention the identity", () => {
    const failed = { ...run('success', '9 rows: no identity'), successful_records: 0, failed_records: 9 };
    const given = ended({ ...query('SELECT * FROM t'), report: { ...evidence().report, latest_pipeline_run: failed } });
    expect(about(given)).toEqual(['data model m', 'run 7']);
  });

  it("is reported with the deployment's own names of identity types", () => {
    const names = createWireNames({ xpid: 'acme_id', email: 'mail' });
    expect(about(ended({ ...query('SELECT acme_id FROM t'), names }))).toEqual(['run 7']);
    expect(diagnose(ended({ ...query('SELECT city FROM t'), names })).findings[0]?.next).toContain(
      'mail, mobile_number, acme_id',
    );
  });

  it('is not reported with a missing identity for events, because the field transformation might add an identity', () => {
    const pipeline = { ...evidence().pipeline, pipeline_type: 'events' as const };
    expect(about(ended({ ...query('SELECT city FROM t'), pipeline }))).toEqual(['run 7']);
  });
});

it.each<[string, string[] | undefined]>([
  ['SELECT a, b.c, d AS e FROM t', ['a', 'c', 'e']],
  ['select distinct "A b", t."Email" from t', ['A b', 'Email']],
  ['WITH x AS (SELECT q FROM y) SELECT count(*) AS n, max(a, b), x.z /* , c */ FROM x -- d', ['n', 'z']],
  ["SELECT 'a, b' AS c, `d` FROM t", ['c', 'd']],
  ['SELECT a, t.* FROM t', undefined],
  ['SELECT a', ['a']],
  ['nonsense', undefined],
])('reads the columns of %s', (sql, columns) => {
  expect(selectedColumns(sql)).toEqual(columns);
});
