// The library's published types work in a program that has no types for Node or other packages.
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { root } from '../helpers/root.ts';

const CONSUMER = `
import { connectEmulator, startEmulator } from 'cdpadm';
import type { Callback, Emulator, EmulatorFixtures, EmulatorOptions, EmulatorReady, Fault, RecordedRequest } from 'cdpadm';

const fixtures: EmulatorFixtures = { roles: [], workspaces: [{ id: 7, key: 'key', secret: 'secret' }] };
const options: EmulatorOptions = { port: 0, memory: true, clock: 'manual', fixtures, identity: { workspace: 7 } };
export async function use(): Promise<string> {
  const emulator: Emulator = await startEmulator(options);
  const { url, control, ready, reset, close } = emulator;
  const { org_id, client_secret }: EmulatorReady = ready;
  const fault: Fault = await connectEmulator(control).faults.add({ status: 503, times: 1 });
  const callbacks: Callback[] = [...(await emulator.callbacks()), ...(await emulator.callbacks.list())];
  const [xpid]: string[] = (await emulator.profiles({ email: 'jane@example.com' })).map((profile) => profile.xpid);
  await emulator.clock.advance('8d');
  await emulator.restore(await emulator.snapshot());
  const requests: RecordedRequest[] = await emulator.requests();
  await reset();
  await close();
  return url + control + client_secret + org_id.toFixed() + fault.times?.toFixed() + callbacks.length.toFixed() + xpid + requests.length.toFixed();
}
// @ts-expect-error there is no such option
export const wrong = () => startEmulator({ color: 'blue' });
// @ts-expect-error an id is a number
export const misplaced = () => startEmulator({ fixtures: { accounts: [{ id: '7' }] } });
// @ts-expect-error a fault has no such field
export const mistyped = () => connectEmulator('').faults.add({ code: 503 });
`;

// eslint-disable-next-line @typescript-eslint/no-deprecated -- many projects still have the oldest resolution
const { Bundler, Node10, Node16, NodeNext } = ts.ModuleResolutionKind;
const MODES: [string, ts.ModuleKind, ts.ModuleResolutionKind][] = [
  ['node10', ts.ModuleKind.CommonJS, Node10],
  ['bundler', ts.ModuleKind.ESNext, Bundler],
  ['node16', ts.ModuleKind.Node16, Node16],
  ['nodenext', ts.ModuleKind.NodeNext, NodeNext],
];

test('compiles a strict program against the library without any other types', () => {
  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules', 'cdpadm');
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  cpSync(join(root, 'dist', 'types'), join(installed, 'dist', 'types'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const file = join(folder, 'use.ts');
  writeFileSync(file, CONSUMER);

  const complaints = MODES.flatMap(([name, module, moduleResolution]) => {
    // Skips the compiler's own declarations.
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipDefaultLibCheck: true, noEmit: true };
    const program = ts.createProgram([file], {
      ...strict,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts'],
      types: [],
      typeRoots: [],
      module,
      moduleResolution,
      ignoreDeprecations: '6.0',
    });
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
  });
  expect(complaints).toEqual([]);
  // Only the entry point's types are published.
  const published = readdirSync(join(installed, 'dist', 'types'), { recursive: true, encoding: 'utf8' });
  expect(published.filter((name) => name.endsWith('.d.ts')).toSorted()).toEqual([
    join('lib', 'emulator', 'base', 'embedding.d.ts'),
    'library.d.ts',
  ]);
});
