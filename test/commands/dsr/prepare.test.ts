// `dsr prepare`: its output file and its messages.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';

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

  it('prints the plan in a dry run, and writes nothing', async () => {
    const line = 'dsr prepare - --regulation gdpr --type access --out dry.csv --dry-run -o json';
    const { stdout } = await home.run(line, { stdin: CSV });
    const plan = { rows: 1, ids_made: 1, out: 'dry.csv' };
    expect(JSON.parse(stdout)).toEqual({ dry_run: true, requests: [], plan });
    expect(existsSync(join(home.cwd, 'dry.csv'))).toBe(false);
  });

  it('keeps the mapped ids and times in NDJSON rows, and prints the command that submits the file', async () => {
    const id = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11';
    const time = '2026-01-02T00:00:00Z';
    const rows = [
      { id, mail: 'jane@example.com', when: time },
      { id: '\\N', mail: 'joe@example.com', when: time },
    ];
    home.write('p.ndjson', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const maps = '--map id=subject_request_id --map mail=email --map when=submitted_time';
    const { code, stderr } = await home.run(
      `dsr prepare p.ndjson --regulation gdpr --type access ${maps} --out new.ndjson`,
    );
    expect(code, stderr).toBe(0);
    const prepared = home.read('new.ndjson').trimEnd().split('\n');
    const uuid = expect.stringMatching(/^[\da-f-]{36}$/) as string;
    expect(prepared.map((line) => JSON.parse(line) as unknown)).toEqual([rows[0], { ...rows[1], id: uuid }]);
    const next = `dsr submit --regulation gdpr --type access --bulk new.ndjson ${maps}`;
    expect(stderr).toContain(`To submit the file: cdpadm ${next}\n`);
    expect((await home.run(`${next} --yes`)).code).toBe(0);
  });

  it('uses the singular for one row', async () => {
    const { stdout, stderr } = await home.run('dsr prepare - --regulation gdpr --type access --out p.csv', {
      stdin: CSV,
    });
    expect(stdout + stderr).toContain('1 row, 1 of them');
  });
});
