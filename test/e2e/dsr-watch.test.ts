// `dsr status --watch` while the platform's clock moves: it redraws on a terminal, and otherwise prints lines or JSON.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { createFastClock } from '../helpers/fast-clock.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { openTerminal } from '../helpers/pty.ts';

let home: PlatformHome;
let id: string;
beforeEach(async () => {
  home = await createDsrHome();
  home.defaults.clock = createFastClock(20);
  const submit = 'dsr submit --regulation gdpr --type access --identity email=a@example.com --yes';
  id = (await home.json<{ subject_request_id: string }>(submit)).data.subject_request_id;
});
afterEach(() => home.close());

it('redraws the status on a terminal, and ends with the last state', async () => {
  const screen = openTerminal(['dsr', 'status', id, '--watch'], { cwd: home.cwd, env: home.env });
  await screen.waitFor('pending');
  await home.platform.api.advance('1d');
  await screen.waitFor('in_progress');
  await home.platform.api.advance('3d');
  await screen.waitFor('completed');
  expect(await screen.exit).toBe(0);
  // The output moves the cursor up to the first drawn line and clears everything below it.
  expect(screen.raw()).toMatch(/\u001b\[\d+A\r\u001b\[J/);
  expect(screen.screen()).toMatch(/results expire +\S/i);
});

it.each([
  ['lines', [], (line: string) => line.split(/\s+/)[1]?.replace(',', '')],
  ['objects', ['-o', 'json'], (line: string) => (JSON.parse(line) as { request_status: string }).request_status],
] as const)('prints %s if there is no terminal, with one line per change', async (_form, flags, statusOf) => {
  const moves = new Map([
    ['pending', '1d'],
    ['in_progress', '3d'],
  ]);
  const { code, stdout } = await home.run(['dsr', 'status', id, '--watch', ...flags], {
    onOutput: (text) => {
      const status = statusOf(text.trimEnd().split('\n').at(-1) ?? '') ?? '';
      const move = moves.get(status);
      moves.delete(status);
      if (move !== undefined) void home.platform.api.advance(move);
    },
  });
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n').map(statusOf)).toEqual(['pending', 'in_progress', 'completed']);
});

it("prints the time at which results expire by the platform's clock, also in `dsr list`", async () => {
  await home.platform.api.advance('4d');
  const [seen] = (
    await home.json<{ expected_completion_time: string; results_expire_at: string }[]>(`dsr status ${id}`)
  ).data;
  const end = (text = ''): string => new Date(Date.parse(text) + 7 * 86_400_000).toISOString().replace('.000', '');
  expect(seen?.results_expire_at).toBe(end(seen?.expected_completion_time));
  const [listed] = (await home.json<{ results_expire_at: string; results_url: string | null }[]>('dsr list')).data;
  expect(listed).toMatchObject({
    results_expire_at: seen?.results_expire_at,
    results_url: expect.stringContaining(id),
  });
});
