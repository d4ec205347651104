// The tour's chapter on seeding: an invalid file, 20,000 users with a 429 on the way, rejects.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from './stage.ts';

const USERS = 20_000;
const BAD_ROW = 12_345;

export async function seedChapter(stage: Stage): Promise<void> {
  await stage.chapter('Seeding');
  await stage.say(
    `Seeding gives calculated attributes their first values. Here is an export of ${USERS} users. One of them has an ` +
      'invalid number of orders:',
  );
  writeFileSync(join(stage.sandbox.folder, 'users.csv'), usersFile());
  await stage.show('users.csv', 3);
  await stage.run('seed validate users.csv', 'invalidInput');

  await stage.say(
    'The other users do not have to wait. The platform responds once with 429, too many requests. The command sends that ' +
      'request again, so the result is complete:',
  );
  await stage.sandbox.control.faults.add({
    path: '/v2/bulkcalculatedattributes',
    status: 429,
    retry_after: 1,
    times: 1,
  });
  await stage.run('seed bulk users.csv --yes', 'partial');

  await stage.say(
    'A rejects file next to the input contains the invalid row and the reason. Once corrected, it is a valid input:',
  );
  const rejects = 'users.csv.rejects.ndjson';
  await stage.show(rejects, 1);
  stage.edit(rejects, (text) => text.replaceAll('three', '3'));
  await stage.run(`seed bulk ${rejects} --yes`);
}

function usersFile(): string {
  const rows = Array.from({ length: USERS }, (_, index) => {
    const user = index + 1;
    return `c-${user},${user === BAD_ROW ? 'three' : user % 40},${(user % 900) + 0.5},production,2026-01-01`;
  });
  return `identity:customer_id,attr:Orders:count,attr:Revenue:sum,environment,cutoff_date\n${rows.join('\n')}\n`;
}
