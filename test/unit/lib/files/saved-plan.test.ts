// Saved plans: their text, how they are read back, and the changes that are rejected.
import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { array, object, string } from 'zod/mini';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  readSavedPlan,
  requireSameTarget,
  type SavedPlan,
  writeSavedPlan,
} from '../../../../src/lib/files/saved-plan.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { inputSource } from '../../../helpers/input-source.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const schema = object({ roles: array(string()) });
const saved: SavedPlan<{ roles: string[] }> = {
  kind: 'roles',
  target: { organization: '1', address: 'https://api.example' },
  plan: 'a1b2',
  from: ['roles.yaml'],
  content: { roles: ['first', 'line\u2028end', '{"}\n# sha256'] },
};

describe('a saved plan', () => {
  let path: string;
  let read: (kind?: 'roles' | 'warehouse') => Promise<SavedPlan<{ roles: string[] }>>;
  beforeEach(() => {
    const folder = temporaryFolder();
    path = join(folder, 'plan.txt');
    read = (kind = 'roles') => readSavedPlan('plan.txt', inputSource(folder), kind, schema);
    writeSavedPlan('plan.txt', inputSource(folder), saved, '+ create first\n\nplan a1b2');
  });
  const text = (): string => readFileSync(path, 'utf8');
  const change = (to: string): void => writeFileSync(path, to);
  /** Returns the text with a matching digest. */
  const signed = (body: string): string => `${body}# sha256 ${createHash('sha256').update(body).digest('hex')}\n`;

  it('contains the target, the difference and the next command, in a private file', () => {
    expect(text()).toContain('organization 1, https://api.example');
    expect(text()).toContain('\n# + create first\n#\n# plan a1b2\n');
    expect(text()).toContain('cdpadm roles push --plan');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is read back exactly, even with Windows line breaks', async () => {
    expect(await read()).toEqual({ format: 1, ...saved });
    change(text().replaceAll('\n', '\r\n'));
    expect(await read()).toEqual({ format: 1, ...saved });
  });

  it.each<[string, (was: string) => string]>([
    ['an edited comment', (was) => was.replace('create first', 'create second')],
    ['an edited value', (was) => was.replace('"first"', '"second"')],
    ['a missing line', (was) => was.slice(was.indexOf('\n') + 1)],
    ['a missing digest', (was) => was.slice(0, was.lastIndexOf('# sha256'))],
    ['a different digest', (was) => was.replace(/[0-9a-f]{64}/, '0'.repeat(64))],
    ['an added line', (was) => `${was}# more\n`],
    ['an empty file', () => ''],
    ['other JSON with a valid digest', () => signed('{"kind":"roles"}\n')],
    ['invalid JSON with a valid digest', () => signed('{"kind":}\n')],
  ])('is rejected with the name of its file: %s', async (_what, edit) => {
    change(edit(text()));
    expect(await failureOf(read())).toMatchObject({ code: 'plans.damaged', issues: [{ file: 'plan.txt' }] });
  });

  it('is rejected if its format number is unknown', async () => {
    const body = text().slice(0, text().lastIndexOf('# sha256'));
    expect(body).toContain('{"format":1,');
    change(signed(body.replace('"format":1', '"format":2')));
    const issues = [{ message: expect.stringContaining('another version of the program saved it') as unknown }];
    expect(await failureOf(read())).toMatchObject({ code: 'plans.damaged', issues });
  });

  it('is rejected if it is for another command', async () => {
    expect(await failureOf(read('warehouse'))).toMatchObject({ code: 'plans.damaged' });
  });

  it('is rejected if it is for a different target', async () => {
    requireSameTarget(saved, { address: 'https://api.example', organization: '1' });
    const other = () => requireSameTarget(saved, { ...saved.target, organization: '2' });
    expect(other).toThrow('The plan is for organization 1');
  });
});
