// Custom roles in the wire format: exact length limits, unknown fields, and strings that may be null in responses.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { array } from 'zod/mini';
import { explain, showPath } from '../../../../src/lib/contract/explain.ts';
import { PERMISSIONS, ROLE_TEMPLATES } from '../../../../src/lib/contract/role-catalog.ts';
import {
  ManifestReply,
  ManifestRequest,
  RESTRICTED_CHARACTERS,
  Role,
  TaskRef,
} from '../../../../src/lib/contract/roles.ts';
import { parseJson, stringifyJson } from '../../../../src/lib/kernel/json.ts';
import { runs } from '../../../helpers/size.ts';
import { issuesOf, withIssuesFirst } from './issues.ts';

const GOOD = { role_id: 'auditor', name: 'Auditor', description: 'Looks on.', tasks: [{ task_id: 'audiences:view' }] };

const issuesWith = (change: Record<string, unknown>): string[] => issuesOf(Role, { ...GOOD, ...change });

const LIMITED = [
  ['role_id', 64],
  ['name', 64],
  ['description', 256],
] as const;

describe.each(LIMITED)('the field %s', (field, max) => {
  it.each(['x', '🙂', 'é', '漢'])(`is accepted with ${max} characters and rejected with one more: %s`, (character) => {
    expect(issuesWith({ [field]: character.repeat(max) })).toEqual([]);
    expect(issuesWith({ [field]: character.repeat(max + 1) })).toEqual([
      `${field}: has ${max + 1} characters; at most ${max} are allowed`,
    ]);
  });

  it.each(['', ' ', '\t\n', '\u00a0\u3000', '\ufeff'])('is rejected because it is empty: %j', (text) => {
    expect(issuesWith({ [field]: text })).toEqual([`${field}: is empty`]);
  });

  it.each(['a', ' a ', 'Admin & Compliance', 'user-role', "o'neill", '<b>', 'back\\slash', 'ačž', '0'])(
    'is accepted: %j',
    (text) => {
      expect(issuesWith({ [field]: text })).toEqual([]);
    },
  );

  it.each(['a\u0000', 'a\nb', '\u001b[31m', 'a\u007f', '\u0085b'])(
    'is rejected if it contains a control character, unless it is the description: %j',
    (text) => {
      const issues = [`${field}: contains a control character`];
      expect(issuesWith({ [field]: text })).toEqual(field === 'description' ? [] : issues);
    },
  );

  it('is rejected if it is missing or not a string', () => {
    expect(issuesWith({ [field]: undefined })).toEqual([`${field}: is missing`]);
    expect(issuesWith({ [field]: null })).toEqual([`${field}: must be a string, not null`]);
    expect(issuesWith({ [field]: 7 })).toEqual([`${field}: must be a string, not a number; put it in quotes`]);
  });
});

describe('a role', () => {
  it('is accepted without tasks', () => {
    expect(issuesWith({ tasks: [] })).toEqual([]);
  });

  it.each(
    withIssuesFirst<unknown>([
      [undefined, ['tasks: is missing']],
      [['audiences:*'], ['tasks[0]: must be an object, not a string']],
      [[{ task_id: 'a' }, {}], ['tasks[1].task_id: is missing']],
      [[{ task_id: 5 }], ['tasks[0].task_id: must be a string, not a number; put it in quotes']],
      [{ task_id: 'a' }, ['tasks: must be a list, not an object']],
    ]),
  )('is rejected: %s', (_issues, tasks, issues) => {
    expect(issuesWith({ tasks })).toEqual(issues);
  });

  it('keeps unknown fields and every digit of their numbers', () => {
    const text =
      '{"roles":[{"role_id":"a","name":"A","description":"d","tasks":[{"task_id":"t","x":1}],"version":9223372036854775807}],"etag":"e"}';
    expect(stringifyJson(ManifestRequest.parse(parseJson(text)))).toBe(text);
    expect(stringifyJson(ManifestReply.parse(parseJson(text)))).toBe(text);
  });

  it('cannot change a prototype', () => {
    const hostile = { ...GOOD, ...(JSON.parse('{"x":{"__proto__":{"polluted":1}}}') as object) };
    Object.defineProperty(hostile, '__proto__', { value: { polluted: 1 }, enumerable: true, configurable: true });
    const parsed = Role.parse(hostile);
    expect((parsed as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a response', () => {
  it('is accepted with null or missing strings, which are not allowed in a request', () => {
    const role = { role_id: 'a', name: null, tasks: [] };
    const reply = { roles: [role], last_modified_on: null };
    expect(ManifestReply.parse(reply)).toEqual(reply);
    expect(explain(ManifestRequest, reply).map(({ path }) => showPath(path))).toEqual([
      'roles[0].name',
      'roles[0].description',
    ]);
    expect(ManifestReply.safeParse({}).success).toBe(false);
    expect(ManifestReply.safeParse({ roles: [{ name: 'no id', tasks: [] }] }).success).toBe(false);
  });

  it.each(['error', 'errors'])(
    'is rejected if its field `%s` contains anything, because its list of roles might be incomplete',
    (field) => {
      for (const value of ['partial', true, ['partial'], { code: 1 }])
        expect(issuesOf(ManifestReply, { roles: [], [field]: value })).toEqual([
          ': reports errors, so its roles may be incomplete',
        ]);
      for (const value of ['', false, null, [], {}])
        expect(issuesOf(ManifestReply, { roles: [], [field]: value })).toEqual([]);
    },
  );
});

describe('the role catalog', () => {
  const ids = PERMISSIONS.map(({ task_id }) => task_id);

  it('lists each of the 32 tasks in the specification once', () => {
    expect(ids).toHaveLength(32);
    expect(new Set(ids).size).toBe(32);
  });

  it('defines seven valid templates whose tasks all exist', () => {
    expect(ROLE_TEMPLATES.map(({ role_id, tasks }) => [role_id, tasks.length])).toEqual([
      ['user-role', 10],
      ['admin-role', 15],
      ['compliance-role', 10],
      ['admin-compliance-role', 17],
      ['audiences-only-role', 1],
      ['read-only-role', 8],
      ['support-role', 15],
    ]);
    for (const { role_id, name, description, tasks } of ROLE_TEMPLATES) {
      expect(tasks.filter((task) => !ids.includes(task))).toEqual([]);
      expect(new Set(tasks).size).toBe(tasks.length);
      expect(explain(Role, { role_id, name, description, tasks: tasks.map((task_id) => ({ task_id })) })).toEqual([]);
      expect(`${role_id}${name}`).not.toMatch(RESTRICTED_CHARACTERS);
    }
  });
});

describe("a role's tasks", () => {
  const anyTask = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom({ task_id: 'a:b' }, { task_id: '' }, { task_id: 'a:b', level: 1n }) },
    fc.constantFrom<unknown>({}, { task_id: 1 }, { task_id: null }, { id: 'a:b' }, null, undefined, 'a:b', ['a:b'], 7),
  );
  const anyTasks = fc.oneof(
    { weight: 8, arbitrary: fc.array(anyTask, { maxLength: 4 }) },
    fc.constantFrom<unknown>(undefined, null, {}, 'a:b', { 0: { task_id: 'a:b' }, length: 1 }),
  );

  it('are validated with the same result as a plain list of tasks', () => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        const found = Role.safeParse({ ...GOOD, tasks });
        const one = array(TaskRef).safeParse(tasks);
        expect(found.data?.tasks).toEqual(one.data);
        expect(found.error?.issues).toEqual(
          one.error?.issues.map((issue) => ({ ...issue, path: ['tasks', ...issue.path] })),
        );
      }),
      runs(2000),
    );
  });
});
