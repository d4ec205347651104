// If a list is empty, the command reports that, and prints the help command for creating the first entry.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';

let home: PlatformHome;
beforeAll(async () => {
  home = await openPlatformHome();
});
afterAll(() => home.close());

it.each(['connections', 'data-models', 'pipelines', 'groups'])(
  'prints the help command for creating the first entry if the list of %s is empty',
  async (area) => {
    const { code, stdout, stderr } = await home.run(`${area} list`, { tty: true, columns: 100 });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^This workspace has no [a-z ]+\. To (make|create) one: cdpadm .* --help\n$/);
    const [, command = ''] = /cdpadm (.*)\n$/.exec(stderr) ?? [];
    expect(await home.run(command)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`cdpadm ${area} create`) as string,
    });
  },
);
