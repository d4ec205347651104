// Generates the Markdown reference pages of `docs/` from the command records and the error registry.
import { byHeading, effectOf, exitRows, meaning, sentence, typed } from './reference.mjs';

/**
 * @typedef {import('../src/commands/help/describe.ts').Reference} Reference
 * @typedef {Reference['groups'][number]} Group
 * @typedef {Group['commands'][number]} Command
 * @typedef {Command['flags'][number]} Flag
 */

const STAMP = '<!-- `npm run docs` writes this page from the records of the commands. -->';

/**
 * Returns the text of each reference page, by its path under `docs/`.
 * @param {Reference} reference
 * @returns {Map<string, string>}
 */
export function markdownPages(reference) {
  const pages = new Map(reference.groups.map((group) => [`commands/${group.name}.md`, groupPage(group)]));
  pages.set('commands/README.md', indexPage(reference));
  pages.set('errors.md', errorsPage(reference));
  return pages;
}

/** @param {readonly string[]} blocks */
const page = (...blocks) => `${[STAMP, ...blocks].filter((block) => block !== '').join('\n\n')}\n`;

/** @param {string} text */
const cell = (text) => plain(text).replaceAll('|', '\\|').replaceAll('\n', ' ');

/**
 * Escapes `<` and `*` outside code spans. Angle brackets mark placeholders, not tags.
 * @param {string} text
 */
const plain = (text) => text.replace(/`[^`]*`|[<*]/g, (found) => (found.length > 1 ? found : `\\${found}`));

/**
 * @param {readonly [string, string]} head
 * @param {readonly (readonly [string, string])[]} rows
 */
function table(head, rows) {
  if (rows.length === 0) return '';
  return [head, ['---', '---'], ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** @param {string} text */
const code = (text, language = 'text') => `\`\`\`${language}\n${text}\n\`\`\``;

/** @param {Flag} flag @returns {readonly [string, string]} */
const flagRow = (flag) => [`\`${typed(flag)}\``, cell(meaning(flag))];

/** @param {Group} group */
function groupPage({ commands, name, summary }) {
  const isGroup = commands.some(({ path }) => path !== name);
  const rows = commands.map(
    (command) =>
      /** @type {const} */ ([`[\`${command.path}\`](#${command.path.replaceAll(' ', '-')})`, cell(command.summary)]),
  );
  return page(
    `# cdpadm ${name}`,
    plain(sentence(summary)),
    isGroup ? table(['Command', 'What it does'], rows) : '',
    'Every command also has the [global flags](README.md#global-flags).',
    ...commands.flatMap((command) => commandBlocks(command, isGroup)),
  );
}

/** @param {Command} command @param {boolean} isGroup */
function commandBlocks(command, isGroup) {
  const { args, examples, exits, flags, notes, output, path, summary, usage } = command;
  const shape = output?.['description'];
  return [
    ...(isGroup ? [`## ${path}`, plain(sentence(summary))] : []),
    code(usage),
    effectOf(command),
    table(
      ['Argument', 'Meaning'],
      args.map((arg) => [`\`${arg.name}\``, cell(meaning(arg))]),
    ),
    ...byHeading(flags).map(([heading, of]) =>
      table([heading === 'Flags' ? 'Flag' : heading, 'Meaning'], of.map(flagRow)),
    ),
    ...notes.map(plain),
    'Examples:',
    code(examples.join('\n'), 'bash'),
    ...(typeof shape === 'string' ? ['`-o json` prints:', code(shape, 'json')] : []),
    table(
      ['Exit code', 'Meaning'],
      exitRows(exits).map(([number, text]) => [number, cell(text)]),
    ),
  ];
}

/** @param {Reference} reference */
function indexPage({ flags, groups, summary }) {
  const headings = [...new Set(groups.map(({ heading }) => heading))];
  return page(
    '# Commands',
    plain(summary),
    ...headings.flatMap((heading) => [
      `## ${heading}`,
      table(
        ['Command', 'What it does'],
        groups
          .filter((group) => group.heading === heading)
          .map(({ name, summary: text }) => [`[\`${name}\`](${name}.md)`, cell(text)]),
      ),
    ]),
    '## Global flags',
    'Every command accepts these flags, before or after its name. The error codes are on [a separate page](../errors.md).',
    ...byHeading(flags).map(([heading, of]) => table([heading, 'Meaning'], of.map(flagRow))),
  );
}

/** @param {Reference} reference */
function errorsPage({ errors }) {
  return page(
    '# Error codes',
    'With `-o json`, each error has one of these codes. `cdpadm help error CODE` prints the section for that code.',
    ...[...errors]
      .sort((one, other) => (one.code < other.code ? -1 : 1))
      .flatMap(({ code: name, exit, explanation, fix, summary }) => [
        `## ${name}`,
        `${plain(summary)} ${plain(explanation)}`,
        plain(fix),
        `Exit code: ${exit}`,
      ]),
  );
}
