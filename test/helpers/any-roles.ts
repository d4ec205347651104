// Arbitrary roles and manifests, with fields that are not in the specification and strings that are hard to serialize.
import fc from 'fast-check';
import { PERMISSIONS } from '../../src/lib/contract/role-catalog.ts';
import type { ManifestReply, RoleReply, TaskRef } from '../../src/lib/contract/roles.ts';
import type { Manifest } from '../../src/lib/domain/roles/manifest.ts';

const TASK_IDS = PERMISSIONS.map((permission) => permission.task_id);

/** Only a few ids, so that two manifests share some of them. */
const ROLE_IDS = ['admin', 'no', '012', '2026-01-02', 'a b', 'ünï', 'x:y', "it's", '#hash', 'null'];

/** Includes strings that a careless YAML or JSON serializer gets wrong. */
export const anyText = fc.oneof(
  fc.constantFrom(
    'no',
    '~',
    'null',
    '012',
    '1e3',
    '0x1f',
    '1:30',
    '2026-01-02',
    '- a',
    '# a',
    'a: b',
    'a #b',
    "'",
    '"',
  ),
  fc.constantFrom(
    ' a',
    'a ',
    'two\nlines',
    'two\n\nlines\n',
    '\ttab',
    'cr\r\nlf',
    '[a]',
    '{a}',
    '*a',
    '&a',
    '!a',
    '%a',
    '@a',
  ),
  fc.constantFrom(
    '\u0000',
    '\u001b[31m',
    '\u007f',
    '\u0085',
    '\u009b',
    '\u2028',
    '\u202e',
    '\ufeff',
    '😀',
    '---',
    '...',
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

/** The value of a field that is not in the specification. */
const anyExtra = fc.oneof(
  anyText,
  fc.integer(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }),
  fc.boolean(),
  fc.record({ by: anyText, at: fc.integer() }, { noNullPrototype: true }),
  fc.array(anyText, { maxLength: 2 }),
);

const anyTask: fc.Arbitrary<TaskRef> = fc
  .tuple(fc.constantFrom(...TASK_IDS), fc.option(fc.integer({ min: 1, max: 3 }), { freq: 5, nil: undefined }))
  .map(([task_id, level]) => (level === undefined ? { task_id } : { task_id, level }));

const anyTasks = fc.uniqueArray(anyTask, { selector: (task) => task.task_id, maxLength: 5 });

export const anyRole: fc.Arbitrary<RoleReply> = fc
  .record({
    role_id: fc.constantFrom(...ROLE_IDS),
    name: fc.option(anyText, { freq: 8 }),
    description: fc.option(anyText, { freq: 8 }),
    tasks: anyTasks,
    extra: fc.dictionary(fc.constantFrom('origin', 'revision', 'on'), anyExtra, { maxKeys: 2, noNullPrototype: true }),
  })
  .map(({ extra, tasks, ...role }) => ({ ...role, ...extra, tasks }));

export const anyRoles = fc.uniqueArray(anyRole, { selector: (role) => role.role_id, maxLength: 6 });

export const anyReply: fc.Arbitrary<ManifestReply> = fc
  .record({
    last_modified_on: fc.constantFrom('2026-11-20 08:00:00', '2026-11-21 09:30:01', null),
    last_modified_by: fc.oneof(fc.constantFrom('ada@example.com', "o'neill+x@example.com", null), anyText),
    extra: fc.dictionary(fc.constantFrom('version', 'meta'), anyExtra, { noNullPrototype: true }),
    roles: anyRoles,
  })
  .map(({ extra, ...reply }) => ({ ...reply, ...extra }));

export function manifestOf(roles: RoleReply[], over: Partial<Manifest> = {}): Manifest {
  return { roles, last_modified_on: '2026-11-20 08:00:00', last_modified_by: 'ada@example.com', extra: {}, ...over };
}

/** Returns a role with this id and these tasks, as the platform returns it. */
export function role(role_id: string, tasks: (string | TaskRef)[] = [], over: Record<string, unknown> = {}): RoleReply {
  return {
    role_id,
    name: `Name of ${role_id}`,
    description: `What ${role_id} is for`,
    ...over,
    tasks: tasks.map((task) => (typeof task === 'string' ? { task_id: task } : task)),
  };
}
