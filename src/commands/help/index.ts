// `help TOPIC`: pages about all commands, and the commands as data.
import type { Option } from 'commander';
import { object, string, union } from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import { nearest } from '../../lib/kernel/nearest.ts';
import { wrapPage } from '../../lib/render/page.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { OfferedValues } from '../../lib/runtime/command-line/help.ts';
import { commandsResult, describeCommands } from './describe.ts';
import { ERROR_CODES, errorPage, topics } from './topics.ts';
import { largest } from '../../lib/kernel/numbers.ts';

const offeredWords: OfferedValues = ({ operands: [topic, code] }) => {
  if (topic === undefined) return [...Object.keys(topics), 'error', 'flags'];
  return topic === 'error' && code === undefined ? ERROR_CODES : [];
};

export const command = defineCommand({
  path: 'help',
  summary: 'help on a command or a topic',
  effect: 'local',
  calls: 'none',
  args: {
    topic: {
      many: true,
      optional: true,
      help: `${Object.keys(topics).join(', ')}, flags; error and a code; or a command`,
      offers: offeredWords,
    },
  },
  notes: ['With --json, the command or group (or all commands) is printed as data: flags, exit codes, results.'],
  output: () => union([object({ topic: string(), text: string() }), commandsResult()]),
  examples: [
    'cdpadm help exit-codes',
    'cdpadm help error roles.assigned',
    'cdpadm help roles push',
    'cdpadm help --json roles',
  ],
  run: async (ctx, { args: { topic: words } }) => {
    const [topic = '', more] = words;
    const isPage = topic === 'error' || topic === 'flags' || topic in topics;
    if (ctx.flags.output !== 'json' || isPage) {
      const page = { topic, text: await topicText(topic, more, ctx) };
      const text = (data: typeof page, _style: unknown, width: number): string => wrapPage(data.text, width);
      return await ctx.out.emit(page, { kind: 'document', text });
    }
    const commands = describeCommands(await ctx.commands(), words);
    if (!commands)
      throw usageError(`Unknown command \`${words.join(' ')}\`.`, {
        text: 'To list all:',
        command: 'cdpadm help --json',
      });
    await ctx.out.emit(commands, { kind: 'document', text: (data) => JSON.stringify(data, null, 2) });
  },
});

/** Throws usage (2) for an unknown topic, and for a word after a topic. */
async function topicText(topic: string, more: string | undefined, ctx: Context): Promise<string> {
  if (topic === 'error') return errorPage(more);
  const text = topic === 'flags' ? flagsTopic((await ctx.commands()).options) : topics[topic];
  if (text !== undefined && more !== undefined) {
    throw usageError(`Unexpected word \`${more}\` after \`help ${topic}\`.`, {
      text: 'To read it:',
      command: `cdpadm help ${topic}`,
    });
  }
  if (text !== undefined) return text;
  const names = (await ctx.commands()).commands.map((command) => command.name());
  const known = [...Object.keys(topics), 'error', 'flags', ...names];
  const guess = nearest(topic, known);
  throw usageError(
    `Unknown command or help topic \`${topic}\`.`,
    `${guess === undefined ? '' : `Did you mean \`${guess}\`? `}Topics: ${Object.keys(topics).join(', ')}, flags, error CODE.`,
  );
}

/** The root's flags under their headings. */
function flagsTopic(options: readonly Option[]): string {
  const width = largest(options.map(({ flags }) => flags.length));
  const headings = [...new Set(options.map((option) => option.helpGroupHeading ?? ''))].filter(Boolean);
  const parts = headings.map((heading) => {
    const lines = options
      .filter((option) => option.helpGroupHeading === heading)
      .map((option) => `  ${option.flags.padEnd(width)}  ${option.description}`);
    return [heading, ...lines].join('\n');
  });
  return `Flags of every command, before or after its name.\n\n${parts.join('\n\n')}\n`;
}
