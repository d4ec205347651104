// Plans on screen and as Markdown, in which no role name can forge a line.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffRoles, planRoles } from '../../../../src/lib/domain/roles/plan.ts';
import { type DrawnPlan, renderRolesPlan, rolesPlanMarkdown } from '../../../../src/lib/render/roles-plan.ts';
import { plainStyle, type Style } from '../../../../src/lib/render/style.ts';
import { anyRoles, anyText, manifestOf, role } from '../../../helpers/any-roles.ts';

const mark =
  (name: string) =>
  (text: string): string =>
    `<${name}>${text}</${name}>`;

/** A style that writes colors as readable tags. */
const TAGGED: Style = {
  bold: mark('bold'),
  dim: mark('dim'),
  red: mark('red'),
  green: mark('green'),
  yellow: mark('yellow'),
  cyan: mark('cyan'),
};

const LIVE = manifestOf([
  role('analyst', ['user:core', 'audiences:view', 'rules:view'], { origin: 'ui' }),
  role('old', ['user:core', 'privacy:*'], { description: null }),
  role('same', ['user:core']),
]);
const WANTED = [
  role('analyst', ['audiences:*', 'rules:view', 'connections:view'], { name: 'Analyst', origin: 'api' }),
  role('new', ['user:core', 'catalog:*', 'live_stream:view']),
  role('same'),
];
const { plan: PLAN } = planRoles({ organization: '101', address: 'https://api.example.com' }, LIVE, WANTED);

const SCREEN = `+ create new
    + name: "Name of new"
    + description: "What new is for"
    + catalog:*  ! escalation
    + live_stream:view

~ modify analyst
    - name: "Name of analyst"
    + name: "Analyst"
    - origin: "ui"
    + origin: "api"
    + audiences:*  ! escalation
    + connections:view
    - audiences:view

- delete old  DELETED for the whole organization
    - name: "Name of old"
    - privacy:*

1 to create, 1 to modify, 1 to delete, 1 unchanged, 2 escalations
plan ${PLAN.plan}`;

describe('a plan on screen', () => {
  it("wraps only the program's own text on a narrow terminal", () => {
    const verbose = { ...role('a-role'), description: 'two  blanks  and  more  words' };
    const lines = renderRolesPlan(diffRoles([role('a-role'), role('gone-role')], [verbose]), plainStyle, 30).split(
      '\n',
    );
    expect(lines.filter((line) => line.length > 30 && !line.startsWith(' '))).toEqual([]);
    expect(lines).toContain('    + description: "two  blanks  and  more  words"');
    expect(lines.join(' ')).toContain('0 to create, 1 to modify, 1 to delete, 0 unchanged');
  });

  it('marks each change with a sign and a word', () => {
    expect(renderRolesPlan(PLAN, plainStyle)).toBe(SCREEN);
  });

  it('contains the same text with colors', () => {
    const colored = renderRolesPlan(PLAN, TAGGED);
    expect(colored.replaceAll(/<\/?\w+>/g, '')).toBe(SCREEN);
    expect(colored).toContain('<green>+ create new</green>');
    expect(colored).toContain('<yellow>~ modify analyst</yellow>');
    expect(colored).toContain('<red>- delete old</red>  <bold>DELETED for the whole organization</bold>');
    expect(colored).toContain('<green>+ audiences:*</green>  <bold><yellow>! escalation</yellow></bold>');
    expect(colored).toContain('    <red>- audiences:view</red>');
  });

  it('reports that there are no differences, and omits the hash for a diff of two files', () => {
    expect(renderRolesPlan(diffRoles(LIVE.roles, LIVE.roles), plainStyle)).toBe(
      'No differences.\n0 to create, 0 to modify, 0 to delete, 3 unchanged',
    );
  });

  it('shows values of every kind', () => {
    const from = [role('a', [{ task_id: 'x:y', level: 1 }], { big: 2n ** 63n })];
    const to = [role('a', [{ task_id: 'x:y', level: { by: 'me' } }], { big: 2n ** 63n + 1n, on: true })];
    expect(renderRolesPlan(diffRoles(from, to), plainStyle).split('\n')).toEqual([
      '~ modify a',
      '    - tasks.x:y.level: 1',
      '    + tasks.x:y.level: {"by":"me"}',
      '    - big: 9223372036854775808',
      '    + big: 9223372036854775809',
      '    + on: true',
      '',
      '0 to create, 1 to modify, 0 to delete, 0 unchanged',
    ]);
  });
});

describe('a plan as Markdown', () => {
  it('contains a heading, the escalations and a diff block', () => {
    expect(rolesPlanMarkdown(PLAN, plainStyle)).toBe(
      `### Roles: 1 to create, 1 to modify, 1 to delete, 1 unchanged

> **Escalations:** \`new\` gains \`catalog:*\`, \`analyst\` gains \`audiences:*\`

\`\`\`diff
${SCREEN.replaceAll(/^ {4}([+-])/gm, '$1    ')}
\`\`\`
`,
    );
    expect(rolesPlanMarkdown(diffRoles([], []), plainStyle)).not.toContain('Escalations');
  });

  it('keeps backticks in a name inside the block', () => {
    const text = rolesPlanMarkdown(diffRoles([], [role('a```\n# b`', ['a`b:*'], { name: '````' })]), plainStyle);
    expect(text).toContain('\n`````diff\n');
    expect(text.match(/^`{3,}/gm)).toEqual(['`````', '`````']);
    expect(text).toContain("> **Escalations:** `a''' # b'` gains `a'b:*`");
  });
});

describe('hostile strings', () => {
  it('stay on one line, so that they cannot look like tasks', () => {
    const description = 'Helps.\naudiences:*  ! escalation';
    const lines = renderRolesPlan(diffRoles([], [{ ...role('a'), description }]), plainStyle).split('\n');
    expect(lines.slice(0, 4)).toEqual([
      '+ create a',
      '    + name: "Name of a"',
      `    + description: ${JSON.stringify(description)}`,
      '',
    ]);
  });

  const anyPlan: fc.Arbitrary<DrawnPlan> = fc
    .tuple(anyRoles, anyRoles, fc.array(anyText, { maxLength: 3 }))
    .map(([from, to, texts]) => diffRoles(from, [...to, ...texts.map((text) => role(text, [text]))]));

  it('never move the cursor or start a line', () => {
    fc.assert(
      fc.property(anyPlan, (plan) => {
        const text = renderRolesPlan(plan, plainStyle);
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
        const heads = text.split('\n').filter((line) => /^[+~-] /.test(line)).length;
        expect(heads).toBe(plan.created.length + plan.modified.length + plan.deleted.length);
      }),
    );
  });

  it.each([
    ['a line break', 'x\n- delete admin', '+ create x - delete admin'],
    ['a carriage return', 'x\r- delete admin', '+ create x - delete admin'],
    ['an escape', 'x\u001b[2Ky', '+ create x\ufffd[2Ky'],
    ['a direction override', 'x\u202ey', '+ create x\ufffdy'],
    ['a line separator', 'x\u2028- delete admin', '+ create x\ufffd- delete admin'],
  ])('never forge a line with %s', (_how, id, line) => {
    expect(renderRolesPlan(diffRoles([], [role(id)]), plainStyle).split('\n')[0]).toBe(line);
  });
});
