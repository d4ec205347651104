// The tour's chapter on seeding: template, a file that is wrong, 20,000 users past a refusal and a full limit, rejects.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringifyJson } from '../../lib/kernel/json.ts';
import type { Stage } from './stage.ts';

const USERS = 20_000;
const BAD_ROW = 12_345;

export async function seedChapter(stage: Stage): Promise<void> {
  await stage.chapter('Seeding');
  await stage.say('Calculated attributes start with values you have already. A file to begin with:');
  await stage.run('seed template --out first.csv');
  await stage.run('seed preview first.csv --row 2');

  await stage.say(`An export of ${USERS} users. One of them has a number of orders that is none:`);
  writeFileSync(join(stage.sandbox.folder, 'users.csv'), usersFile());
  await stage.show('users.csv', 4);
  await stage.run('seed validate users.csv', 'invalidInput');

  await stage.say(
    'The others need not wait for it. On the way the platform says once that it is too much (429). What it refused is sent ' +
      'again by itself, so that nothing of that is seen in the result:',
  );
  await stage.sandbox.control.faults.add({
    path: '/v2/bulkcalculatedattributes',
    status: 429,
    retry_after: 1,
    times: 1,
  });
  await stage.run('seed bulk users.csv --yes', 'partial');

  await stage.say('The row that was refused lies beside the file, with its reason. Corrected, it is an input itself:');
  const rejects = 'users.csv.rejects.ndjson';
  await stage.show(rejects, 1);
  stage.edit(rejects, (text) => text.replaceAll('three', '3'));
  await stage.run(`seed bulk ${rejects} --yes`);

  await stage.say('What the platform holds of that user now:');
  const [profile] = await stage.sandbox.control.state.profiles({ customer_id: `c-${BAD_ROW}` });
  writeFileSync(join(stage.sandbox.folder, 'profile.json'), `${stringifyJson(profile, 2)}\n`);
  await stage.show('profile.json', 30);
}

function usersFile(): string {
  const rows = Array.from({ length: USERS }, (_, index) => {
    const user = index + 1;
    return `c-${user},${user === BAD_ROW ? 'three' : user % 40},${(user % 900) + 0.5},production,2026-01-01`;
  });
  return `identity:customer_id,attr:Orders:count,attr:Revenue:sum,environment,cutoff_date\n${rows.join('\n')}\n`;
}
