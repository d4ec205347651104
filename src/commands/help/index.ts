// `help TOPIC`: pages on topics that concern all commands, and a JSON description of the commands.
import type { Option } from 'commander';
import * as z from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import { suggest } from '../../lib/kernel/nearest.ts';
import { wrapPage } from '../../lib/render/page.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { OfferedValues } from '../../lib/runtime/command-line/help.ts';
import { commandsResult, describeCommands } from './describe.ts';
import { ERROR_CODES, errorPage, RECIPES, topics } from './topics.ts';
import { recipe } from '../recipe.ts';
import { largest } from '../../lib/kernel/words.ts';
import { groupBy } from '../../lib/kernel/group-by.ts';

const offeredWords: OfferedValues = ({ operands: [topic, code] }) => {
  if (topic === undefined) return [...Object.keys(topics), 'error', 'flags'];
  return code !== undefined ? [] : topic === 'error' ? ERROR_CODES : topic === 'recipes' ? RECIPES : [];
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
      help: `${Object.keys(topics).join(', ')}, flags, error CODE, recipes NAME, or a command`,
      offers: offeredWords,
    },
  },
  notes: ['With --json, the command or group (or all commands) is printed as data: flags, exit codes, results.'],
  output: () => z.union([z.object({ topic: z.string(), text: z.string() }), commandsResult()]),
  examples: [
    'cdpadm help exit-codes',
    'cdpadm help error roles.assigned',
    'cdpadm help recipes roles-drift.yml',
    'cdpadm help roles push',
    'cdpadm help --json roles',
  ],
  run: async (ctx, { args: { topic: words } }) => {
    const [topic = '', more] = words;
    const isPage = topic === 'error' || topic === 'flags' || pageOf(topic) !== undefined;
    if (ctx.flags.output !== 'json' || isPage) {
      const page = { topic, text: await topicText(topic, more, ctx) };
      const text = (data: typeof page, _style: unknown, width: number): string =>
        isRecipe(topic, more) ? data.text : wrapPage(data.text, width);
      return await ctx.out.emit(page, { kind: 'document', text });
    }
    const commands = describeCommands(await ctx.commands(), words);
    const hint = { text: 'To list all:', command: 'cdpadm help --json' };
    if (!commands) throw usageError(`Unknown command \`${words.join(' ')}\`.`, hint);
    await ctx.out.emit(commands, { kind: 'document', text: (data) => JSON.stringify(data, null, 2) });
  },
});

/** Ignores names that every object inherits, such as `constructor`. */
const pageOf = (topic: string): string | undefined => (Object.hasOwn(topics, topic) ? topics[topic] : undefined);

const isRecipe = (topic: string, name = ''): boolean => topic === 'recipes' && RECIPES.includes(name);

/** Throws usage (2) for an unknown topic, and for a word after a topic other than `error CODE` or `recipes NAME`. */
async function topicText(topic: string, more: string | undefined, ctx: Context): Promise<string> {
  if (topic === 'error') return errorPage(more);
  if (more !== undefined && isRecipe(topic, more)) return await recipe(more);
  const text = topic === 'flags' ? flagsTopic((await ctx.commands()).options) : pageOf(topic);
  if (text !== undefined && more !== undefined) {
    const hint = { text: 'To read it:', command: `cdpadm help ${topic}` };
    throw usageError(`Unexpected word \`${more}\` after \`help ${topic}\`.`, hint);
  }
  if (text !== undefined) return text;
  const names = (await ctx.commands()).commands.map((command) => command.name());
  const known = [...Object.keys(topics), 'error', 'flags', ...names];
  const hint = suggest(topic, known, `Topics: ${Object.keys(topics).join(', ')}, flags, error CODE.`);
  throw usageError(`Unknown command or help topic \`${topic}\`.`, hint);
}

function flagsTopic(options: readonly Option[]): string {
  const width = largest(options.map(({ flags }) => flags.length));
  const grouped = groupBy(
    options.filter(({ helpGroupHeading }) => helpGroupHeading),
    ({ helpGroupHeading }) => helpGroupHeading,
  );
  const parts = [...grouped].map(([heading, own]) =>
    [heading, ...own.map(({ description, flags }) => `  ${flags.padEnd(width)}  ${description}`)].join('\n'),
  );
  return `These flags work with every command, before or after its name.\n\n${parts.join('\n\n')}\n`;
}
