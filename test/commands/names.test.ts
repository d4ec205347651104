// `-o name` prints ids only, one for each item of the result.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliHome, createCliHome } from '../helpers/cli.ts';

let home: CliHome;
beforeAll(() => {
  home = createCliHome();
});
afterAll(() => home.remove());

it.each([
  [
    'auth test --profile local',
    ['roles', 'groups', 'warehouse', 'data subject requests', 'seeding', 'identity intake'],
  ],
  ['profile export local', ['local']],
  ['emulator fault add --status 500 --path /v3/* --profile local', ['/v3/*']],
  ['emulator fault list --profile local', ['/v3/*']],
  ['schema roles', []],
  ['schema output roles list', []],
])('prints the ids in the result of `%s`', async (line, ids) => {
  const { code, stdout, stderr } = await home.run(`${line} -o name`);
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: ids.map((id) => `${id}\n`).join('') });
});
