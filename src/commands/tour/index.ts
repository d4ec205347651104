// `tour`: a first lesson that runs the main tasks on a temporary embedded platform.
import * as z from 'zod/mini';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openSandbox } from '../../lib/runtime/emulator/sandbox.ts';
import { dsrChapter, rolesChapter, seedChapter, warehouseChapter } from './chapters.ts';
import { openStage } from './stage.ts';

const CHAPTERS = { roles: rolesChapter, dsr: dsrChapter, seed: seedChapter, warehouse: warehouseChapter };
type Chapter = keyof typeof CHAPTERS;
const NAMES = Object.keys(CHAPTERS) as Chapter[];

const NEXT = [
  'cdpadm --profile local roles list     the embedded platform, which keeps its state between commands',
  'cdpadm emulator start                 the same platform as a server',
  'cdpadm profile create work            your own platform',
  'cdpadm help                           everything else',
];

export const command = defineCommand({
  path: 'tour',
  summary: 'run the most common tasks on a temporary embedded platform',
  effect: 'local',
  calls: 'none',
  args: { chapters: { many: true, optional: true, choices: NAMES, help: 'chapters to show (default: all)' } },
  output: () =>
    z.union([
      z.object({ chapter: z.string() }),
      z.object({ say: z.string() }),
      z.object({ command: z.string() }),
      z.object({ exit: z.number(), stdout: z.string(), stderr: z.string() }),
      z.object({ file: z.string(), text: z.string() }),
    ]),
  notes: [
    'On a terminal, the tour asks whether to continue before each chapter except the first. The tour shows the start and the end of long output; -o json includes all of it.',
    'The tour does not need an account or a terminal. The tour neither reads nor changes your settings, so --profile, the ids and --dry-run have no effect.',
    'With -o json or ndjson, the tour prints one object per line. Every other format prints the same text.',
  ],
  examples: ['cdpadm tour', 'cdpadm tour roles'],
  run: async (ctx, { args: { chapters } }) => {
    const stage = openStage(ctx, await openSandbox(ctx));
    const pauses = ctx.prompt.possible && ctx.io.tty.stdout;
    await stage.say('This tour uses an embedded platform that exists only during the tour.');
    for (const [index, name] of (chapters.length > 0 ? chapters : NAMES).entries()) {
      if (index > 0 && pauses && !(await ctx.prompt.ask(`Continue with ${name}?`, true))) break;
      await CHAPTERS[name](stage);
    }
    await stage.chapter('Try next');
    await stage.say(NEXT.join('\n'));
  },
});
