// `tour`: the main job from end to end on a throw-away embedded platform, as a first lesson.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
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

export function tourCommand(ctx: Context): Command {
  const command = new Command('tour')
    .description('a guided run of the main jobs on a throw-away embedded platform')
    .action(() => takeTour(ctx));
  return withHelp(command, {
    calls: 'nobody',
    notes: [
      'Needs no account and no terminal; nothing of yours is read or changed: --profile, the ids and --dry-run do nothing here.',
      'Under -o json and ndjson it tells an object a line; in every other format it is the same text.',
    ],
    examples: ['cdpadm tour', 'cdpadm tour --no-color'],
    json: 'one object a line: {"chapter"} | {"say"} | {"command"} | {"exit","stdout","stderr"} | {"file","text"}',
  });
}

async function takeTour(ctx: Context): Promise<void> {
  const stage = openStage(ctx, await openSandbox(ctx));
  await stage.say(
    'An embedded platform was started for this tour. It goes away at the end, and so does everything done to it.',
  );
  for (const chapter of CHAPTERS) await chapter(stage);
  await stage.chapter('Try next');
  await stage.say(NEXT.join('\n'));
}
