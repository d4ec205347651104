// Conflict lines are comments above a field in conflict, and are later reported with their positions.
import { describe, expect, it } from 'vitest';
import { parseDocumentText } from '../../../../src/lib/files/load.ts';
import { markConflicts, requireNoConflicts } from '../../../../src/lib/files/roles-file.ts';
import { thrownBy } from '../../../helpers/failure.ts';

const TEXT = `# ours
roles:
  - role_id: a # first
    name: Mine
    description: |
      long
    tasks:
      - task_id: x:y
        level: 1
  - {role_id: b, name: Mine,
     description: "d
      e", tasks: []}
`;

const lineAbove = async (role_id: string, field: string, theirs: unknown): Promise<string | undefined> => {
  const marked = await markConflicts(TEXT, [{ role_id, field, theirs }]);
  if (marked === undefined) return undefined;
  const lines = marked.split('\n');
  const at = lines.findIndex((line) => line.includes('CONFLICT'));
  expect(lines.toSpliced(at, 1).join('\n')).toBe(TEXT);
  return `${lines[at] ?? ''}\n${lines[at + 1] ?? ''}`;
};

describe('markConflicts', () => {
  it.each<[string, string, unknown, string]>([
    ['a', 'name', 'Theirs', '    # CONFLICT platform: Theirs\n    name: Mine'],
    ['a', 'name', 'two\nlines', '    # CONFLICT platform: "two\\nlines"\n    name: Mine'],
    ['a', 'name', null, '    # CONFLICT platform: (none)\n    name: Mine'],
    ['a', 'description', 'x', '    # CONFLICT platform: x\n    description: |'],
    ['a', 'extra', { deep: [1] }, '  # CONFLICT platform: {deep: [1]}\n  - role_id: a # first'],
    ['a', 'role', null, '  # CONFLICT platform: (none)\n  - role_id: a # first'],
    ['a', 'tasks.x:y.level', 2, '      # CONFLICT platform: 2\n      - task_id: x:y'],
    ['b', 'name', 'Theirs', '  # CONFLICT platform: Theirs\n  - {role_id: b, name: Mine,'],
    ['gone', 'role', { role_id: 'gone' }, '# CONFLICT platform: {role_id: gone}\nroles:'],
  ])("writes the platform's value above the field: %s, %s, %j", async (role_id, field, theirs, expected) => {
    expect(await lineAbove(role_id, field, theirs)).toBe(expected);
  });

  it('keeps Windows line breaks', async () => {
    const marked = await markConflicts(TEXT.replaceAll('\n', '\r\n'), [{ role_id: 'a', field: 'name', theirs: 'T' }]);
    expect(marked).toContain('\r\n    # CONFLICT platform: T\r\n    name: Mine\r\n');
  });

  it('returns undefined if the line would become part of a string', async () => {
    expect(await lineAbove('b', 'tasks', [])).toBeUndefined();
  });
});

describe('requireNoConflicts', () => {
  it('reports each conflict line with its position', async () => {
    const text = TEXT.replace('    name', '    # CONFLICT platform: T\n    name').replace(
      'roles:',
      '# CONFLICT platform:\nroles:',
    );
    const document = await parseDocumentText('roles.yaml', text, 'yaml');
    expect(thrownBy(() => requireNoConflicts(document))).toMatchObject({
      code: 'input.invalid',
      issues: [
        { file: 'roles.yaml', line: 2, column: 1 },
        { file: 'roles.yaml', line: 5, column: 5 },
      ],
    });
  });

  it('accepts other comments', async () => {
    requireNoConflicts(await parseDocumentText('roles.yaml', TEXT, 'yaml'));
  });
});
