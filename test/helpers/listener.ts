// Runs `dsr callbacks listen` in process, and provides its address, output lines and result.
import { interrupted } from '../../src/lib/runtime/interrupt.ts';
import type { CliHome, CliOptions, CliResult } from './cli.ts';

export interface ListenerLine {
  callback_url?: string;
  status?: number;
  valid?: boolean;
  request_status?: string;
  new?: boolean;
  detail?: string;
  subject_request_id?: string;
  headers_file?: string | null;
  body_file?: string | null;
}

export interface Listener {
  url: string;
  /** The callbacks printed so far. */
  lines(): ListenerLine[];
  stop(): Promise<CliResult>;
}

export async function listenForCallbacks(
  home: Pick<CliHome, 'run'>,
  flags: readonly string[],
  options: CliOptions = {},
): Promise<Listener> {
  const end = new AbortController();
  let text = '';
  let running = Promise.resolve<CliResult>({ code: 0, stdout: '', stderr: '' });
  const url = await new Promise<string>((resolve, reject) => {
    running = home.run(['dsr', 'callbacks', 'listen', '--port', '0', '-o', 'json', ...flags], {
      ...options,
      stop: end,
      onOutput: (stdout) => {
        text = stdout;
        if (stdout.includes('\n'))
          resolve((JSON.parse(stdout.split('\n')[0] ?? '') as ListenerLine).callback_url ?? '');
      },
    });
    running.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  return {
    url,
    lines: () =>
      text
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(line) as ListenerLine),
    stop: async () => {
      end.abort(interrupted());
      return await running;
    },
  };
}
