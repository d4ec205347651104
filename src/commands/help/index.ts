// `help TOPIC`: what is true for every command, a page for each subject.
import type { Option } from 'commander';
import { type infer as Infer, object, string, union } from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import { nearest } from '../../lib/kernel/nearest.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import { wrapPage } from '../../lib/render/page.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { OfferedValues } from '../../lib/runtime/command-line/help.ts';
import { commandsResult, describeCommands } from './describe.ts';
import { ERROR_CODES, errorPage, topics } from './topics.ts';

function pageResult() {
  return object({ topic: string(), text: string() });
}

const view: DocumentView<Infer<ReturnType<typeof pageResult>>> = {
  kind: 'document',
  text: ({ text }, _style, width) => wrapPage(text, width),
};

const offeredWords: OfferedValues = ({ operands: [topic, code] }) => {
  if (topic === undefined) return [...Object.keys(topics), 'error', 'flags'];
  return topic === 'error' && code === undefined ? ERROR_CODES : [];
};

export const showHelp = defineCommand({
  path: 'help',
  summary: 'help on a command or a topic',
  effect: 'local',
  calls: 'nobody',
  args: {
    topic: {
      many: true,
      optional: true,
      help: `${Object.keys(topics).join(', ')}, flags; error and a code; or the words of a command`,
      offers: offeredWords,
    },
  },
  notes: ['With --json, the commands that the words lead to (all without words) come as data: flags, exits, results.'],
  output: () => union([pageResult(), commandsResult()]),
  examples: [
    'cdpadm help exit-codes',
    'cdpadm help error roles.assigned',
    'cdpadm help roles push',
    'cdpadm help --json roles',
  ],
  run: async (ctx, { args: { topic: words } }) => {
    const [topic = '', more] = words;
    const isPage = topic === 'error' || topic === 'flags' || topic in topics;
    if (ctx.flags.output === 'json' && !isPage) return await printCommands(ctx, words);
    await ctx.out.emit({ topic, text: await topicText(topic, more, ctx) }, view);
  },
});

async function printCommands(ctx: Context, words: readonly string[]): Promise<void> {
  const commands = describeCommands(await ctx.commands(), words);
  if (!commands)
    throw usageError(`There is no command \`${words.join(' ')}\`.`, {
      text: 'To list all:',
      command: 'cdpadm help --json',
    });
  await ctx.out.emit(commands, { kind: 'document', text: (data) => JSON.stringify(data, null, 2) });
}

/** Throws usage (2) for a topic that there is not, and then for a word behind one. */
async function topicText(topic: string, more: string | undefined, ctx: Context): Promise<string> {
  if (topic === 'error') return errorPage(more);
  const text = topic === 'flags' ? flagsTopic((await ctx.commands()).options) : topics[topic];
  if (text !== undefined && more !== undefined) {
    throw usageError(`\`help ${topic}\` takes no further word; \`${more}\` is one too many.`, {
      text: 'To read it:',
      command: `cdpadm help ${topic}`,
    });
  }
  if (text !== undefined) return text;
  const known = [
    ...Object.keys(topics),
    'error',
    'flags',
    ...(await ctx.commands()).commands.map((command) => command.name()),
  ];
  const guess = nearest(topic, known);
  throw usageError(
    `There is no command and no help topic \`${topic}\`.`,
    `${guess === undefined ? '' : `Did you mean \`${guess}\`? `}Topics: ${Object.keys(topics).join(', ')}, flags, error CODE.`,
  );
}

/** The flags of the root under their headings. */
function flagsTopic(options: readonly Option[]): string {
  const width = Math.max(...options.map(({ flags }) => flags.length));
  const headings = [...new Set(options.map((option) => option.helpGroupHeading ?? ''))].filter(Boolean);
  const parts = headings.map((heading) => {
    const lines = options
      .filter((option) => option.helpGroupHeading === heading)
      .map((option) => `  ${option.flags.padEnd(width)}  ${option.description}`);
    return [heading, ...lines].join('\n');
  });
  return `Flags that every command understands, before or after its name.\n\n${parts.join('\n\n')}\n`;
}
