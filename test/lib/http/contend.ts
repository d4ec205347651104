// Several processes at once that contend for one budget or one token.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bundleEntry } from '../../helpers/bundle.ts';

/** Runs `children/contender.ts` `count` times at once and gives what each printed. */
export async function contend(count: number, ...args: string[]): Promise<string[]> {
  const bundle = await bundleEntry('test/lib/http/children/contender.ts');
  try {
    const run = (): Promise<{ stdout: string }> => promisify(execFile)(process.execPath, [bundle.file, ...args]);
    const outputs = await Promise.all(Array.from({ length: count }, run));
    return outputs.map(({ stdout }) => stdout);
  } finally {
    bundle.remove();
  }
}
