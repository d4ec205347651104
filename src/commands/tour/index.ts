// `tour`: runs the main jobs on a temporary embedded platform, as a first lesson.
import { number, object, string, union } from 'zod/mini';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openSandbox } from '../../lib/runtime/emulator/sandbox.ts';
import { dsrChapter } from './dsr.ts';
import { rolesChapter } from './roles.ts';
import { seedChapter } from './seed.ts';
import { openStage } from './stage.ts';
import { warehouseChapter } from './warehouse.ts';

const CHAPTERS = [rolesChapter, dsrChapter, seedChapter, warehouseChapter];

const NEXT = [
  'cdpadm --profile local roles list     the embedded platform, kept between commands',
  'cdpadm emulator start                 the same as a server; in another shell: `eval "$(cdpadm emulator env)"`',
  'cdpadm profile create work            your own platform',
  'cdpadm help                           everything else',
];

export const command = defineCommand({
  path: 'tour',
  summary: 'run the main jobs on a temporary embedded platform',
  effect: 'local',
  calls: 'nobody',
  output: () =>
    union([
      object({ chapter: string() }),
      object({ say: string() }),
      object({ command: string() }),
      object({ exit: number(), stdout: string(), stderr: string() }),
      object({ file: string(), text: string() }),
    ]),
  notes: [
    'The tour needs no account and no terminal. It neither reads nor changes your settings, so --profile, the ids and --dry-run have no effect.',
    'With -o json and ndjson it prints one object per line; every other format prints the same text.',
  ],
  examples: ['cdpadm tour', 'cdpadm tour --no-color'],
  run: guide,
});

async function guide(ctx: Context): Promise<void> {
  const stage = openStage(ctx, await openSandbox(ctx));
  await stage.say('This tour uses an embedded platform, which exists only until the end of the tour.');
  for (const chapter of CHAPTERS) await chapter(stage);
  await stage.chapter('Try next');
  await stage.say(NEXT.join('\n'));
}
