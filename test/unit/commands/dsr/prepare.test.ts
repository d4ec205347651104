// `dsr prepare`: its output file and its message.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDsrHome } from '../../../helpers/dsr-home.ts';
import type { PlatformHome } from '../../../helpers/platform-home.ts';

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

const CSV = 'email\njane@example.com\n';

describe('dsr prepare', () => {
  it('rejects `--out -`, which would create a file named `-`', async () => {
    const { code, stderr } = await home.run('dsr prepare - --regulation gdpr --type access --out -', { stdin: CSV });
    expect(code, stderr).toBe(2);
    expect(stderr).toContain('--out FILE');
    expect(existsSync(join(home.cwd, '-'))).toBe(false);
  });

  it('uses the singular for one row', async () => {
    const { stdout, stderr } = await home.run('dsr prepare - --regulation gdpr --type access --out p.csv', {
      stdin: CSV,
    });
    expect(stdout + stderr).toContain('1 row, 1 of them');
  });
});
