// The embedded platform in programs without type checking: its options, errors and methods.
import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../../../src/library.ts';
import type { EmulatorOptions } from '../../../../src/lib/emulator/base/embedding.ts';
import { failureOf } from '../../../helpers/failure.ts';

const startWith = (options: unknown) => startEmulator(options as EmulatorOptions);

test.each<[unknown, string, string?]>([
  [{ prot: 1 }, 'Unknown option `prot` for startEmulator.', 'Did you mean `port`?'],
  [{ toString: 1 }, 'Unknown option `toString` for startEmulator.', 'Choose from host, port,'],
  [{ identity: { vendor: 1 } }, 'Unknown option `identity.vendor` for startEmulator.', 'Did you mean `vendorDomain`?'],
  [{ identity: { org: '1' } }, 'The option `identity.org` of startEmulator must be a number'],
  [{ clock: 'slow' }, 'The option `clock` of startEmulator must be `real` or `manual`.'],
  [{ port: '4010' }, 'The option `port` of startEmulator must be a number'],
  [{ port: 65_536 }, 'The option `port` of startEmulator must be at most 65535.'],
  [{ host: '' }, 'The option `host` of startEmulator is empty.'],
  [{ data: 7 }, 'The option `data` of startEmulator must be a string'],
  [{ authority: null }, 'The option `authority` of startEmulator must be a string'],
  [{ memory: 'yes' }, 'The option `memory` of startEmulator must be a boolean'],
  [{ fixtures: 'fixtures.yaml' }, 'The option `fixtures` of startEmulator must be an object'],
  [{ warehouse: {} }, 'The option `warehouse` of startEmulator must be a string'],
  [{ names: { xpid: 7 } }, 'The option `names.xpid` of startEmulator must be a string'],
  [{ names: ['xpid'] }, 'The option `names` of startEmulator must be an object'],
  [{ memory: true, data: '/tmp/there' }, 'startEmulator accepts `memory` or `data`, not both'],
  ['manual', 'startEmulator expects its options as one object'],
  [null, 'startEmulator expects its options as one object'],
])('rejects %j with the reason', async (options, message, hint = '') => {
  expect(await failureOf(startWith(options))).toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message) as string,
    ...(hint !== '' && { hint: expect.stringContaining(hint) as string }),
  });
});

test.each<[string, (domain: string) => EmulatorOptions, number]>([
  ['the identity', (vendorDomain) => ({ identity: { vendorDomain } }), 56],
  ['the fixtures', (vendor_domain) => ({ fixtures: { vendor_domain } }), 56],
  ['the processor in the fixtures', (processor_domain) => ({ fixtures: { processor_domain } }), 64],
])('accepts a domain from %s only if a certificate can contain it', async (_what, optionsOf, longest) => {
  const domain = (length: number): string => `${'a'.repeat(length - '.example'.length)}.example`;
  expect(await failureOf(startEmulator(optionsOf(domain(longest + 1))))).toMatchObject({
    message: expect.stringMatching(/not a vendor domain|lowercase domain name/) as string,
  });
  const platform = await startEmulator(optionsOf(domain(longest)));
  await platform.close();
});

test('reports only the first of several issues, and does not mention flags', async () => {
  const invalid = await failureOf(startWith({ fixtures: { roles: 7, groups: 'none' } }));
  expect(invalid).toMatchObject({
    code: 'input.invalid',
    message: expect.stringMatching(/First issue: \S+: \S+/) as string,
  });
  const elsewhere = await failureOf(startWith({ host: '999.1.1.1' }));
  expect(elsewhere.message).toContain('999.1.1.1');
  expect(JSON.stringify(elsewhere)).not.toContain('--');
});

test('ignores undefined options', async () => {
  const platform = await startWith({ port: undefined, fixtures: undefined, clock: 'manual' });
  onTestFinished(() => platform.close());
  expect((await fetch(`${platform.control}/clock`)).status).toBe(200);
});

test('rejects calls after it is closed, and can be closed twice', async () => {
  const platform = await startEmulator();
  const { reset, close } = platform;
  await reset();
  await Promise.all([close(), platform.close()]);
  await close();
  expect(await failureOf(reset())).toMatchObject({
    code: 'emulator.none',
    message: 'This embedded platform was closed.',
    hint: 'Start another one with startEmulator.',
  });
});
