// `tour`: the main job from end to end on a throw-away embedded platform, as a first lesson.
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

export const takeTour = defineCommand({
  path: 'tour',
  summary: 'a guided run of the main jobs on a throw-away embedded platform',
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
    'Needs no account and no terminal; nothing of yours is read or changed: --profile, the ids and --dry-run do nothing here.',
    'Under -o json and ndjson it tells an object a line; in every other format it is the same text.',
  ],
  examples: ['cdpadm tour', 'cdpadm tour --no-color'],
  run: guide,
});

async function guide(ctx: Context): Promise<void> {
  const stage = openStage(ctx, await openSandbox(ctx));
  await stage.say(
    'An embedded platform was started for this tour. It goes away at the end, and so does everything done to it.',
  );
  for (const chapter of CHAPTERS) await chapter(stage);
  await stage.chapter('Try next');
  await stage.say(NEXT.join('\n'));
}
