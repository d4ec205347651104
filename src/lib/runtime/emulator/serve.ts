// Serves the embedded platform in the foreground, and registers it for other commands while it runs.
import type { EmulatorOptions, EmulatorReady } from '../../emulator/index.ts';
import type { Context } from '../context.ts';
import type { ListView } from '../../render/view.ts';
import { stopped } from '../interrupt.ts';
import { createResultLines } from '../output/result-lines.ts';
import { authorityFolder, localFolder } from './local-folder.ts';
import { registerEmulator, type RunningEmulator } from './running.ts';

/** `data` is null for in-memory state, and undefined for the state of profile `local`. */
export interface ServeOptions extends Omit<EmulatorOptions, 'data' | 'memory'> {
  data: string | null | undefined;
  /** True to reset existing state to the fixtures. */
  fresh?: boolean;
  /** True to print the console's address. */
  ui?: boolean | undefined;
  profile?: RunningEmulator['profile'];
}

/** Returns a view of the fields in the ready line, in the same order. */
const readyView = (ready: EmulatorReady): ListView<EmulatorReady> => ({
  kind: 'list',
  columns: (Object.keys(ready) as (keyof EmulatorReady)[]).map((key) => ({ key, value: (row) => row[key] })),
  empty: '',
  name: (row) => row.base_url,
});

/** Prints the ready line, and returns when a signal arrives. Throws the same errors as `startEmulator`. */
export async function serveEmulator(ctx: Context, options: ServeOptions): Promise<void> {
  const { startEmulator } = await import('../../emulator/index.ts');
  const data = options.data === undefined ? localFolder(ctx.paths) : options.data;
  const { data: _chosen, fresh, ui, profile, ...rest } = options;
  const emulator = await startEmulator({
    ...rest,
    ...(data !== null && { data }),
    authority: authorityFolder(ctx.paths),
    systemClock: ctx.clock,
  });
  ctx.onClose(() => emulator.close());
  if (fresh) await emulator.reset();
  const { port, ready } = emulator;
  const forget = registerEmulator(ctx.paths, { port, data, started: ctx.clock.now(), ready, profile });
  ctx.onClose(async () => forget());
  ctx.out.note(data === null ? 'State: in memory only; it is lost when the platform stops.' : `State: ${data}`);
  if (ui) ctx.out.note(`Console: ${ready.console_url}`);
  ctx.out.note('In another shell, run: eval "$(cdpadm emulator env)". Press Ctrl-C to stop.');
  const { tell } = createResultLines<EmulatorReady>(
    ctx,
    readyView(ready),
    ({ base_url: url, listen_url: own }) =>
      `The embedded platform is ready at ${url}${url === own ? '' : ` and listens on ${own}`}`,
  );
  await tell(ready);
  await stopped(ctx.signal);
}
