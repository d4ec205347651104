// Serves the embedded platform in the foreground: known to other commands while it runs, gone without a trace after.
import type { EmulatorOptions, EmulatorReady } from '../../emulator/index.ts';
import { host } from '../../kernel/host.ts';
import type { Context } from '../context.ts';
import type { ListView } from '../../render/view.ts';
import { stopped } from '../interrupt.ts';
import { createResultLines } from '../output/result-lines.ts';
import { authorityFolder, localFolder } from './local-folder.ts';
import { registerEmulator } from './running.ts';

/** As the flags say; `data` is null for memory and undefined for the state of profile `local`. */
export interface ServeOptions extends Omit<EmulatorOptions, 'data' | 'memory'> {
  data: string | null | undefined;
}

/** The names of the ready line, in the order in which it has them. */
const readyView = (ready: EmulatorReady): ListView<EmulatorReady> => ({
  kind: 'list',
  columns: (Object.keys(ready) as (keyof EmulatorReady)[]).map((key) => ({ key, value: (row) => row[key] })),
  empty: '',
  name: (row) => row.base_url,
});

/** Prints the ready line and returns when the command is told to stop. Throws KnownError as `startEmulator` does. */
export async function serveEmulator(ctx: Context, options: ServeOptions): Promise<void> {
  const { startEmulator } = await import('../../emulator/index.ts');
  const data = options.data === undefined ? localFolder(ctx.paths) : options.data;
  const { data: _chosen, ...rest } = options;
  const emulator = await startEmulator({
    ...rest,
    ...(data !== null && { data }),
    authority: authorityFolder(ctx.paths),
    systemClock: ctx.clock,
  });
  ctx.onClose(() => emulator.close());
  const { port, ready } = emulator;
  const forget = registerEmulator(ctx.paths, { pid: host.pid, port, data, started: ctx.clock.now(), ready });
  ctx.onClose(async () => forget());
  ctx.out.note(data === null ? 'Its state is in memory and ends with it.' : `Its state is kept in ${data}.`);
  ctx.out.note('In another shell: eval "$(cdpadm emulator env)". Ctrl-C ends it.');
  const { tell } = createResultLines<EmulatorReady>(
    ctx,
    readyView(ready),
    ({ base_url: url }) => `The embedded platform is ready on ${url}`,
  );
  await tell(ready);
  await stopped(ctx.signal);
}
