// The tour's chapter on roles: pull, edit, diff, push, two rejected deletions, rollback.
import type { Stage } from './stage.ts';

const NEW_ROLE = `  - role_id: analyst-role
    name: Analyst
    description: Views audiences and the live stream
    tasks:
      - audiences:view
      - live_stream:view
`;

export async function rolesChapter(stage: Stage): Promise<void> {
  await stage.chapter('Custom roles');
  await stage.say('All roles of an organization form one manifest. To read it:');
  await stage.run('roles list');
  await stage.run('roles pull');

  await stage.say('Now we edit roles.yaml: the User role loses the live stream, and we add an Analyst role.');
  stage.edit('roles.yaml', (text) => removeTask(text, 'user-role', 'live_stream:view') + NEW_ROLE);
  await stage.run('roles diff');
  await stage.say('The diff is correct, so we push it. The command first saves the previous roles.');
  await stage.run('roles push --yes');

  await stage.say(
    'Now we remove the Support role from the file. Deleting it for the whole organization needs another flag. Without it, ' +
      'the command sends nothing (exit 12, stopped by a guard):',
  );
  stage.edit('roles.yaml', (text) => removeRole(text, 'support-role'));
  await stage.run('roles push --yes', 'guard');
  await stage.say(
    'Even with the flag, the platform rejects the push, because a user has this role. Nothing changes (exit 6, a conflict):',
  );
  await stage.run('roles push --yes --allow-delete', 'conflict');

  await stage.say('You can restore every previous manifest, with the same diff and the same guards.');
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
