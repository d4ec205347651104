// `help TOPIC`: what is true for every command, a page for each subject.
import { Command, type Option } from 'commander';
import { usageError } from '../../lib/kernel/errors.ts';
import { nearest } from '../../lib/kernel/nearest.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import { wrapPage } from '../../lib/render/page.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { ERROR_CODES, errorPage } from './error-page.ts';
import { topics } from './topics.ts';

export function helpCommand(ctx: Context): Command {
  const command = new Command('help')
    .description('help on a command or a topic')
    .argument('<topic...>', `${Object.keys(topics).join(', ')}, flags; error and a code; or the words of a command`)
    .action(([topic = '', more]: string[], _flags: unknown, self: Command) =>
      ctx.out.emit({ topic, text: topicText(topic, more, self) }, view),
    );
  return withHelp(command, {
    calls: 'nobody',
    values: {
      topic: ({ operands }) => offeredWords(operands),
    },
    examples: ['cdpadm help exit-codes', 'cdpadm help error roles.assigned', 'cdpadm help roles push'],
    json: '{"topic":text,"text":text}',
  });
}

interface Page {
  topic: string;
  text: string;
}

const view: DocumentView<Page> = { kind: 'document', text: ({ text }, _style, width) => wrapPage(text, width) };

function offeredWords([topic, code]: readonly string[]): readonly string[] {
  if (topic === undefined) return [...Object.keys(topics), 'error', 'flags'];
  return topic === 'error' && code === undefined ? ERROR_CODES : [];
}

/** Throws usage (2) for a topic that there is not, and then for a word behind one. */
function topicText(topic: string, more: string | undefined, self: Command): string {
  if (topic === 'error') return errorPage(more);
  const text = topic === 'flags' ? flagsTopic(self.parent?.options ?? []) : topics[topic];
  if (text !== undefined && more !== undefined) {
    throw usageError(
      `\`help ${topic}\` takes no further word; \`${more}\` is one too many.`,
      `See \`cdpadm help ${topic}\`.`,
    );
  }
  if (text !== undefined) return text;
  const known = [
    ...Object.keys(topics),
    'error',
    'flags',
    ...(self.parent?.commands ?? []).map((command) => command.name()),
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
