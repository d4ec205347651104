// Writes the files that the documentation's examples use.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { stageWarehouse } from './warehouse-files.ts';

export interface ExampleStage {
  cwd: string;
  env: Record<string, string>;
  run(line: string): Promise<{ code: number; output: string }>;
}

type Stage = (stage: ExampleStage) => Promise<void> | void;

const STAGES: Record<string, Stage> = {
  // The commands in the README read the file that the README shows.
  'README.md': ({ cwd }) => {
    const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    writeFileSync(join(cwd, 'group.yaml'), /```yaml\n([^`]*)```/.exec(page)?.[1] ?? '');
  },
  'docs/warehouse.md': async (stage) => {
    stageWarehouse(stage.cwd);
    await made(stage, 'cdpadm connections create -f connection.yaml --yes');
    await made(stage, 'cdpadm data-models create -f model.yaml --yes');
    await made(stage, 'cdpadm pipelines create -f pipeline.yaml --yes');
  },
  'docs/roles.md': ({ cwd }) => {
    const page = readFileSync(new URL('../../docs/roles.md', import.meta.url), 'utf8');
    writeFileSync(join(cwd, 'roles.test.yaml'), /```yaml\n(- only[^`]*)```/.exec(page)?.[1] ?? '');
  },
  'docs/groups.md': ({ cwd }) => stageWarehouse(cwd),
  'docs/seeding.md': ({ cwd, env }) => {
    env['CDPADM_ENVIRONMENT'] = 'development';
    writeFileSync(join(cwd, 'data_0_0_0.csv.gz'), gzipSync('1001,5\n1002,7\n'));
    writeFileSync(join(cwd, 'bq-000000000000.json'), '{"customer_id":"1001","orders":"5"}\n');
  },
  'docs/dsr.md': ({ cwd }) => {
    const rows = ['erasure,ada@example.com', 'access,ben@example.com'];
    writeFileSync(join(cwd, 'subjects.csv'), `subject_request_type,email\n${rows.join('\n')}\n`);
  },
};

/** Creates the files and definitions that a page's examples need. */
export async function stageExamples(page: string, stage: ExampleStage): Promise<void> {
  await STAGES[page]?.(stage);
}

async function made({ run }: ExampleStage, line: string): Promise<void> {
  const { code, output } = await run(line);
  if (code !== 0) throw new Error(`${line}: exit ${code}\n${output}`);
}
