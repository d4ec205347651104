// The tour's chapter on roles: pull, edit, diff, push, two refused deletions, rollback.
import type { Stage } from './stage.ts';

const NEW_ROLE = `  - role_id: analyst-role
    name: Analyst
    description: Looks at audiences and the live stream
    tasks:
      - audiences:view
      - live_stream:view
`;

export async function rolesChapter(stage: Stage): Promise<void> {
  await stage.chapter('Custom roles');
  await stage.say('All roles of an organization are one manifest. Reading it:');
  await stage.run('roles list');
  await stage.run('roles pull');
  await stage.show('roles.yaml', 12);

  await stage.say('Now somebody edits roles.yaml: the User role loses the live stream, and an Analyst role is added.');
  stage.edit('roles.yaml', (text) => removeTask(text, 'user-role', 'live_stream:view') + NEW_ROLE);
  await stage.run('roles validate --online');
  await stage.run('roles diff');
  await stage.say('The diff is right, so it is pushed. The roles that were there before are saved first.');
  await stage.run('roles push --yes');

  await stage.say(
    'Now the Support role is taken out of the file. A role that is missing there is deleted for the whole organization, ' +
      'which needs a flag of its own; without it nothing is sent (exit 12, a guard refused):',
  );
  stage.edit('roles.yaml', (text) => removeRole(text, 'support-role'));
  await stage.run('roles push --yes', 'guard');
  await stage.say(
    'Even with the flag the platform refuses here, because somebody holds that role. Nothing changes (exit 6, a conflict):',
  );
  await stage.run('roles push --yes --allow-delete', 'conflict');

  await stage.say('Every manifest that was replaced can be put back, through the same difference and the same guards.');
  await stage.run('roles history');
  const history = await stage.sandbox.run(['roles', 'history', '-o', 'json']);
  const revisions = JSON.parse(history.stdout) as { revision: string }[];
  await stage.run(`roles rollback ${revisions.at(-1)?.revision ?? ''} --yes --allow-delete`);
}

function removeTask(text: string, roleId: string, task: string): string {
  const start = text.indexOf(`role_id: ${roleId}\n`);
  return text.slice(0, start) + text.slice(start).replace(`      - ${task}\n`, '');
}

function removeRole(text: string, roleId: string): string {
  const start = text.indexOf(`  - role_id: ${roleId}\n`);
  const next = text.indexOf('\n  - role_id: ', start);
  return text.slice(0, start) + (next < 0 ? '' : text.slice(next + 1));
}
