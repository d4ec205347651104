// Roles files are written, read back and edited in place.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ManifestReply, RoleReply } from '../../../../src/lib/contract/roles.ts';
import { inStableOrder } from '../../../../src/lib/domain/roles/manifest.ts';
import { type DocumentFormat, parseDocumentText } from '../../../../src/lib/files/load.ts';
import { compareWithFile, isEmpty } from '../../../../src/lib/files/roles-edits.ts';
import {
  rewriteManifestText,
  updateManifestText as editManifestText,
  writeManifestText,
} from '../../../../src/lib/files/roles-file.ts';
import { canonicalJson, stringifyJson } from '../../../../src/lib/kernel/json.ts';
import { anyReply, role } from '../../../helpers/any-roles.ts';
import { anyStyledManifest } from './styled-yaml.ts';
import { runs } from '../../../helpers/size.ts';

const FORMATS: DocumentFormat[] = ['yaml', 'json'];
const OLD = { last_modified_on: '2026-11-20 08:00:00', last_modified_by: 'ada@example.com' };
const NEW = { last_modified_on: '2026-11-21 09:00:00', last_modified_by: 'bob@example.com' };

/** Returns the output of `roles pull`: the text edited in place, or rewritten if that is impossible. */
async function updateManifestText(text: string, format: DocumentFormat, manifest: ManifestReply): Promise<string> {
  return (await editManifestText(text, format, manifest)) ?? (await rewriteManifestText(text, manifest));
}

async function valueOf(text: string, format: DocumentFormat): Promise<Record<string, unknown>> {
  return (await parseDocumentText('file', text, format)).value as Record<string, unknown>;
}

async function matches(text: string, format: DocumentFormat, manifest: ManifestReply): Promise<boolean> {
  return isEmpty(compareWithFile(await valueOf(text, format), manifest));
}

/** Returns the content of a roles file in the wire format. */
function onTheWire(value: Record<string, unknown>): Record<string, unknown> {
  const { $schema, ...manifest } = value;
  const roles = (manifest['roles'] as RoleReply[]).map((item) => ({
    ...item,
    tasks: item.tasks.map((task: unknown) => (typeof task === 'string' ? { task_id: task } : task)),
  }));
  return { ...manifest, roles };
}

describe.each(FORMATS)('a new %s file', (format) => {
  it('is read back as the same manifest in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(anyReply, async (manifest) => {
        const text = await writeManifestText(manifest, format, 'A headline.');
        const value = onTheWire(await valueOf(text, format));
        expect(canonicalJson(value)).toBe(canonicalJson(manifest));
      }),
      runs(300),
    );
  });

  it('contains the same text if the same content is in a different order', async () => {
    await fc.assert(
      fc.asyncProperty(anyReply, async (manifest) => {
        const write = (roles: RoleReply[]): Promise<string> =>
          writeManifestText({ ...manifest, roles: inStableOrder(roles) }, format, 'A headline.');
        const shuffled = [...manifest.roles].reverse().map((item) => ({ ...item, tasks: [...item.tasks].reverse() }));
        expect(await write(shuffled)).toBe(await write(manifest.roles));
      }),
      runs(50),
    );
  });
});

it('writes YAML that is readable, has a schema hint and is safe for YAML 1.1', async () => {
  const roles = [
    role('no', ['user:core', 'audiences:*'], { name: 'Yes', description: 'two\nlines' }),
    role('x', [{ task_id: 'rules:*', level: 2 }], { name: '2026-01-02', origin: null, description: '\u0085' }),
  ];
  expect(await writeManifestText({ ...OLD, version: 7, roles }, 'yaml', 'A headline.')).toBe(
    [
      '# yaml-language-server: $schema=.cdpadm/roles.schema.json',
      '# A headline.',
      'last_modified_on: "2026-11-20 08:00:00"',
      'last_modified_by: ada@example.com',
      'version: 7',
      'roles:',
      '  - role_id: "no"',
      '    name: "Yes"',
      '    description: |-',
      '      two',
      '      lines',
      '    tasks:',
      '      - user:core',
      '      - audiences:*',
      '  - role_id: x',
      '    name: "2026-01-02"',
      '    description: "\u0085"',
      '    origin: null',
      '    tasks:',
      '      - task_id: rules:*',
      '        level: 2',
      '',
    ].join('\n'),
  );
});

it('writes JSON with the schema hint for editors', async () => {
  const text = await writeManifestText({ ...OLD, roles: [] }, 'json', 'unused');
  expect(JSON.parse(text)).toEqual({ $schema: '.cdpadm/roles.schema.json', ...OLD, roles: [] });
  expect(text).toMatch(/^\{\n {2}"\$schema".*\n\}\n$/s);
});

describe('updating a file', () => {
  it.each(FORMATS)('writes the manifest in %s, and changes nothing on the second update', async (format) => {
    await fc.assert(
      fc.asyncProperty(anyReply, anyReply, async (before, after) => {
        const text = await writeManifestText(before, format, 'A headline.');
        expect(await updateManifestText(text, format, before)).toBe(text);
        const updated = await updateManifestText(text, format, after);
        expect(await matches(updated, format, after)).toBe(true);
        expect(await updateManifestText(updated, format, after)).toBe(updated);
      }),
      runs(300),
    );
  });

  it('writes the manifest into YAML of any style', async () => {
    await fc.assert(
      fc.asyncProperty(anyStyledManifest, anyReply, async ({ text, manifest }, after) => {
        expect(await updateManifestText(text, 'yaml', manifest)).toBe(text);
        const updated = await updateManifestText(text, 'yaml', after);
        expect(await matches(updated, 'yaml', after)).toBe(true);
        expect(await updateManifestText(updated, 'yaml', after)).toBe(updated);
        // The update keeps the line breaks.
        expect(/(?<!\r)\n/.test(updated) && updated.includes('\r\n')).toBe(false);
      }),
      runs(400),
    );
  });

  it('keeps every comment in order if nothing is removed', async () => {
    const comments = (text: string): string[] => text.match(/# comment \d+/g) ?? [];
    await fc.assert(
      fc.asyncProperty(anyStyledManifest, anyReply, async ({ text, manifest }, { roles, ...stamps }) => {
        const names = new Map(roles.map((item) => [item.role_id, item]));
        const ids = new Set(manifest.roles.map((item) => item.role_id));
        const edited = manifest.roles.map((item) => ({ ...item, name: names.get(item.role_id)?.name ?? 'New' }));
        const added = roles.filter((item) => !ids.has(item.role_id));
        const updated = await updateManifestText(text, 'yaml', {
          ...manifest,
          ...stamps,
          roles: [...edited, ...added],
        });
        expect(comments(updated)).toEqual(comments(text));
      }),
      runs(300),
    );
  });

  const withoutStamps = (text: string): string =>
    text.replaceAll(/(last_modified_(?:on|by)"?: *)(?:"(?:[^"\\]|\\.)*"|[^\s,]*)/g, '$1');

  it('writes new stamps to YAML without changing any other byte', async () => {
    await fc.assert(
      fc.asyncProperty(anyStyledManifest, async ({ text, manifest }) => {
        const updated = await updateManifestText(text, 'yaml', { ...manifest, ...NEW });
        expect(withoutStamps(updated)).toBe(withoutStamps(text));
        expect(await matches(updated, 'yaml', { ...manifest, ...NEW })).toBe(true);
      }),
      runs(200),
    );
  });

  it('writes new stamps to JSON without changing any other byte', async () => {
    await fc.assert(
      fc.asyncProperty(anyReply, fc.constantFrom(undefined, 1, '\t'), async (manifest, indent) => {
        const text = `  ${stringifyJson(manifest, indent).replaceAll('"tasks":', '"tasks"  :')} `;
        const updated = await updateManifestText(text, 'json', { ...manifest, ...NEW });
        expect(withoutStamps(updated)).toBe(withoutStamps(text));
        expect(await matches(updated, 'json', { ...manifest, ...NEW })).toBe(true);
      }),
      runs(200),
    );
  });
});

const COMMENTED = `# yaml-language-server: $schema=x
last_modified_on: "2026-11-20 08:00:00"   # when
last_modified_by: ada@example.com

roles:
  # first of all

  # about a
  - role_id: a   # inline a
    name: A
    description: 'It''s A'
    tasks:
      # viewing
      - audiences:view  # why

      # editing
      - rules:view
    # tail of a

  # === Section ===

  # about b
  - role_id: b
    name: Name of b
    description: >-
      folded
      text
    tasks: [rules:*, "catalog:*"]
    origin: ui
  # tail of roles
# end
`;

describe('editing a commented YAML file', () => {
  const a = role('a', ['user:core', 'audiences:view', 'rules:view'], { name: 'A', description: "It's A" });
  const b = role('b', ['user:core', 'rules:*', 'catalog:*'], { description: 'folded text', origin: 'ui' });

  /** Returns the removed and the added lines. */
  async function edit(...roles: RoleReply[]): Promise<{ removed: string[]; added: string[] }> {
    const updated = await updateManifestText(COMMENTED, 'yaml', { ...OLD, roles });
    const [before, after] = [COMMENTED.split('\n'), updated.split('\n')];
    let start = 0;
    while (start < before.length && before[start] === after[start]) start++;
    let end = 0;
    while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end))
      end++;
    return { removed: before.slice(start, before.length - end), added: after.slice(start, after.length - end) };
  }

  it('changes nothing if the same content is in a different order', async () => {
    expect(await edit(b, { ...a, tasks: [...a.tasks].reverse() })).toEqual({ removed: [], added: [] });
  });

  it('keeps the quotes around stamps', async () => {
    const updated = await updateManifestText(COMMENTED, 'yaml', { ...NEW, roles: [a, b] });
    expect(updated).toBe(COMMENTED.replace('2026-11-20 08:00:00', NEW.last_modified_on).replace('ada@', 'bob@'));
  });

  it('keeps the quotes around strings where possible', async () => {
    expect(await edit({ ...a, name: 'B: b', description: "It isn't" }, b)).toEqual({
      removed: ['    name: A', "    description: 'It''s A'"],
      added: ['    name: "B: b"', "    description: 'It isn''t'"],
    });
    expect(await edit(a, { ...b, description: 'one\ntwo' })).toEqual({
      removed: ['    description: >-', '      folded', '      text'],
      added: ['    description: "one\\ntwo"'],
    });
    expect((await edit(a, { ...b, description: null })).added).toEqual(['    description: null']);
  });

  it('changes tasks that are listed on separate lines with dashes', async () => {
    const tasks = [{ task_id: 'rules:view' }, { task_id: 'connections:*' }];
    expect(await edit({ ...a, tasks }, b)).toEqual({
      removed: ['      - audiences:view  # why', '', '      # editing', '      - rules:view'],
      added: ['', '      # editing', '      - rules:view', '', '      - connections:*'],
    });
    expect((await edit({ ...a, tasks: [] }, b)).added[0]).toBe('    tasks: []');
  });

  it('changes tasks that are listed in brackets', async () => {
    const lists: [string[], string][] = [
      [['catalog:*'], '    tasks: ["catalog:*"]'],
      [['rules:*'], '    tasks: [rules:*]'],
      [['rules:*', 'x:y', 'catalog:*'], '    tasks: [rules:*, "catalog:*", x:y]'],
      [['x:y'], '    tasks: [x:y]'],
      [[], '    tasks: []'],
    ];
    for (const [ids, line] of lists) {
      const tasks = ids.map((task_id) => ({ task_id }));
      expect((await edit(a, { ...b, tasks })).added).toEqual([line]);
    }
  });

  it('changes or removes a field that the platform sets, but never adds such a field', async () => {
    expect(await edit({ ...a, origin: 'api' }, { ...b, origin: 'api' })).toEqual({
      removed: ['    origin: ui'],
      added: ['    origin: api'],
    });
    const { origin, ...without } = b;
    expect(await edit(a, without as RoleReply)).toEqual({ removed: ['    origin: ui'], added: [] });
  });

  it('removes a role and keeps the comments above it', async () => {
    expect(await edit(b)).toEqual({
      removed: COMMENTED.split('\n').slice(COMMENTED.split('\n').indexOf('  - role_id: a   # inline a'), 18),
      added: [],
    });
    expect((await edit(a)).removed).toEqual(COMMENTED.split('\n').slice(22, 29));
    const none = await updateManifestText(COMMENTED, 'yaml', { ...OLD, roles: [] });
    expect(none).toContain('\nroles: []\n');
    expect(none.match(/#.*/g)).toEqual(
      expect.arrayContaining(['# first of all', '# about a', '# === Section ===', '# end']),
    );
  });

  it('adds a role at the end, after a blank line if blank lines separate the other roles', async () => {
    expect(await edit(a, b, role('c', ['privacy:*']))).toEqual({
      removed: [],
      added: [
        '',
        '  - role_id: c',
        '    name: Name of c',
        '    description: What c is for',
        '    tasks:',
        '      - privacy:*',
      ],
    });
  });
});

describe('updating an unusual YAML file', () => {
  const roles = [role('a', ['rules:view'], { name: 'A' }), role('b', ['rules:view'])];
  const update = (text: string, wanted: RoleReply[] = roles): Promise<string> =>
    updateManifestText(text, 'yaml', { ...NEW, roles: wanted });

  it('fills in an empty list and an empty stamp', async () => {
    expect(await update('last_modified_on:\nroles: [] # none yet', [role('a', ['rules:view'])])).toBe(
      'last_modified_on: "2026-11-21 09:00:00"\nroles: # none yet\n  - role_id: a\n    name: Name of a\n    description: What a is for\n    tasks:\n      - rules:view',
    );
  });

  it.each([
    [['w:x', 'y:x', 'z:x'], '[w:x, y:x , z:x]'],
    [['w:x'], '[w:x]'],
    [['rules:view'], '[rules:view]'],
    [['z:x'], '[z:x]'],
    [['w:x', 'z:x'], '[w:x, z:x]'],
    [['rules:view', 'a:b'], '[rules:view, a:b]'],
    [['w:x', 'rules:view', 'y:x', 'z:x'], '[w:x, rules:view,  y:x , z:x]'],
  ])('removes tasks from any position in brackets, leaving %j', async (tasks, list) => {
    const head = 'roles:\n- role_id: a\n  name: Name of a\n  description: What a is for\n  tasks: ';
    expect(await update(`${head}[w:x, rules:view,  y:x , z:x]\n`, [role('a', tasks)])).toBe(`${head}${list}\n`);
  });

  it('expands an alias only where its value changes', async () => {
    const text =
      'roles:\n- role_id: a\n  name: &n A\n  description: *n\n  tasks: &t\n  - rules:view\n- role_id: b\n  name: B\n  description: x\n  tasks: *t\n';
    const b = role('b', ['rules:view'], { name: 'B', description: 'x' });
    const a = role('a', ['rules:view'], { name: 'A', description: 'A' });
    expect(await update(text, [a, b])).toBe(text);
    expect(await update(text, [{ ...a, description: 'D' }, b])).toBe(text.replace('*n', 'D'));
    const split = await update(text, [{ ...a, tasks: [{ task_id: 'x:y' }] }, b]);
    expect(await matches(split, 'yaml', { ...NEW, roles: [{ ...a, tasks: [{ task_id: 'x:y' }] }, b] })).toBe(true);
    expect(split).toContain('tasks: [rules:view]');
    expect(await matches(await update(text, [b]), 'yaml', { ...NEW, roles: [b] })).toBe(true);
  });

  // A backslash marks a missing trailing newline.
  const golden = readFileSync(new URL('../../../golden/roles-yaml-edits.txt', import.meta.url), 'utf8');
  const cases = golden
    .split(/^=== /m)
    .slice(1)
    .map((section) => {
      const [, what = '', before = '', after = ''] = /^([^\n]*)\n(.*)--- becomes\n(.*)$/s.exec(section) ?? [];
      return [what, before.replace(/\\\n$/, ''), after.replace(/\\\n$/, '')] as const;
    });

  it.each(cases)('writes the text in the golden file for %s', async (_what, text, expected) => {
    const wanted = [roles[0], role('b', ['rules:view', 'catalog:*'])] as RoleReply[];
    const updated = await update(text, wanted);
    expect(updated).toBe(expected);
    expect(await matches(updated, 'yaml', { ...NEW, roles: wanted })).toBe(true);
    expect(await update(updated, wanted)).toBe(updated);
  });

  it('adds a role whose text has blank lines, and keeps every digit in other fields', async () => {
    const text =
      'version: 9007199254740993\nroles:\n  - role_id: a\n    name: A\n    description: D\n    tasks: [x:y]\n';
    const roles = [
      role('a', ['x:y'], { name: 'A', description: 'D' }),
      role('b', ['x:y'], { description: 'one\n\ntwo\n', level: 9007199254740993n }),
    ];
    expect(await updateManifestText(text, 'yaml', { version: 9007199254740993n, roles })).toBe(
      [
        text.trimEnd(),
        '  - role_id: b',
        '    name: Name of b',
        '    description: |',
        '      one',
        '',
        '      two',
        '    level: 9007199254740993',
        '    tasks:',
        '      - x:y',
        '',
      ].join('\n'),
    );
  });

  it('keeps the comment at the start of a file that must be rewritten', async () => {
    const text = '# head\n\n? roles\n: - role_id: c\n    name: C\n    description: C\n    tasks: []\n';
    expect(await update(text)).toMatch(/^# head\n\n/);
  });

  it('changes a map that the platform sets, and removes a map that the platform removed', async () => {
    const text =
      'roles:\n- role_id: a\n  meta:\n    by: x\n  name: A\n  description: What a is for\n  tasks: [rules:view]\n';
    const meta = { by: 'y', big: 2n ** 63n };
    const changed = await update(text, [role('a', ['rules:view'], { name: 'A', meta })]);
    expect((await valueOf(changed, 'yaml'))['roles']).toMatchObject([{ meta }]);
    expect(await update(text, [role('a', ['rules:view'], { name: 'A' })])).toBe(
      text.replace('  meta:\n    by: x\n', ''),
    );
  });

  it('updates other top-level fields and keeps fields that the platform removed', async () => {
    const text = 'version: 3 # theirs\nold: 1\nroles: []\n';
    expect(await updateManifestText(text, 'yaml', { ...NEW, version: 4, added: 1, roles: [] })).toBe(
      text.replace('3', '4'),
    );
  });
});

describe('updating a JSON file', () => {
  const file = (indent: string | number | undefined, tasks: unknown[]): string =>
    JSON.stringify({ ...OLD, roles: [{ role_id: 'a', tasks, name: 'A', description: 'D' }] }, null, indent);
  const wanted = [role('a', ['x:y', 'rules:*'], { name: 'A', description: 'D' }), role('b', ['x:y'])];

  it.each([
    ['two spaces', 2],
    ['four spaces', 4],
    ['tabs', '\t'],
    ['no line breaks', undefined],
  ])('keeps its indentation: %s', async (_what, indent) => {
    const updated = await updateManifestText(file(indent, ['x:y']), 'json', { ...OLD, roles: wanted });
    expect(updated).toBe(JSON.stringify(JSON.parse(updated), null, indent));
    expect(JSON.parse(updated)).toEqual({
      ...OLD,
      roles: [
        { role_id: 'a', tasks: ['x:y', 'rules:*'], name: 'A', description: 'D' },
        { role_id: 'b', tasks: ['x:y'], name: 'Name of b', description: 'What b is for' },
      ],
    });
    expect(Object.keys((JSON.parse(updated) as { roles: object[] }).roles[0] ?? {})).toEqual([
      'role_id',
      'tasks',
      'name',
      'description',
    ]);
  });

  it('keeps tasks as maps, the style of line breaks and the trailing newline', async () => {
    const text = `${file('\t', [{ task_id: 'x:y' }])}\n`.replaceAll('\n', '\r\n');
    const updated = await updateManifestText(text, 'json', { ...OLD, roles: wanted });
    expect(updated.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(updated.endsWith('}\r\n')).toBe(true);
    expect((JSON.parse(updated) as { roles: { tasks: unknown }[] }).roles.map((item) => item.tasks)).toEqual([
      [{ task_id: 'x:y' }, { task_id: 'rules:*' }],
      [{ task_id: 'x:y' }],
    ]);
  });

  it('adds new roles with tasks in the shortest form that the file uses', async () => {
    const text = JSON.stringify({
      roles: [
        { role_id: 'a', name: 'A', description: 'D', tasks: [{ task_id: 'x:y' }, { task_id: 'rules:*' }] },
        { role_id: 'c', name: 'C', description: 'D', tasks: ['x:y', { task_id: 'x:z' }] },
      ],
    });
    const c = role('c', ['x:y', 'x:z'], { name: 'C', description: 'D' });
    const updated = await updateManifestText(text, 'json', { roles: [...wanted, c] });
    expect((JSON.parse(updated) as { roles: { tasks: unknown }[] }).roles.map((item) => item.tasks)).toEqual([
      [{ task_id: 'x:y' }, { task_id: 'rules:*' }],
      ['x:y', { task_id: 'x:z' }],
      ['x:y'],
    ]);
  });

  it.each([
    ['whitespace before the object', '  \n {\n\t"roles": []\n}', '{\n\t"roles": [\n\t\t{'],
    ['whitespace after the bracket', '{ \t\n "roles": []\n}', '{\n "roles": [\n  {'],
    ['a line break only inside a nested list', '{"roles": [\n  ]}', '{"roles":[{'],
  ])('keeps its indentation: %s', async (_what, text, start) => {
    expect(await updateManifestText(text, 'json', { roles: wanted })).toContain(start);
  });

  it('keeps every digit', async () => {
    const text = `{"version": 9007199254740993, "roles": [{"role_id": "a", "name": "A", "description": "D", "tasks": [], "n": -9223372036854775808}]}`;
    const reply = {
      version: 9007199254740993n,
      roles: [role('a', ['x:y'], { name: 'A', description: 'D', n: -9223372036854775808n })],
    };
    const updated = await updateManifestText(text, 'json', reply);
    expect(updated).toContain('"version":9007199254740993');
    expect(updated).toContain('"n":-9223372036854775808');
  });
});
