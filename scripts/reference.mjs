// The reference pages: Markdown for `docs/`, mdoc for `man`. Both come from the records of the commands and from the registry of
// errors, so neither is ever edited by hand.

/**
 * @typedef {import('../src/commands/help/describe.ts').Reference} Reference
 * @typedef {Reference['groups'][number]} Group
 * @typedef {Group['commands'][number]} Command
 * @typedef {Command['flags'][number]} Flag
 * @typedef {Command['args'][number]} Arg
 */

const EFFECTS = {
  read: 'Reads from the platform and changes nothing there.',
  write: 'Writes to the platform.',
  local: 'Changes nothing on the platform.',
};

const STAMP = '<!-- `npm run docs` writes this page from the records of the commands. -->';

/** @param {string} text */
function sentence(text) {
  const full = /[.!?]$/.test(text) ? text : `${text}.`;
  return full.charAt(0).toUpperCase() + full.slice(1);
}

/**
 * What the help of a value does not say by itself: its words, its default, whether it may be repeated.
 * @param {Flag | Arg} value
 */
function meaning({ choices, default: standard, help, many, required }) {
  const more = [
    ...(choices ? [`one of ${choices.join(', ')}`] : []),
    ...(standard === undefined ? [] : [`default: ${standard}`]),
    ...(many && !/repeat|several/.test(help) ? ['repeatable'] : []),
    ...(required ? ['required'] : []),
  ];
  return more.length === 0 ? help : `${help} (${more.join('; ')})`;
}

/** @param {Flag} flag */
function typed({ flag, short, value }) {
  return `${short === undefined ? '' : `${short}, `}${flag}${value === null ? '' : ` <${value}>`}`;
}

/**
 * Flags under their headings, in the order of the help.
 * @param {readonly Flag[]} flags
 */
function byHeading(flags) {
  /** @type {Map<string, Flag[]>} */
  const groups = new Map();
  for (const flag of flags) {
    const heading = flag.heading ?? 'Flags';
    groups.set(heading, [...(groups.get(heading) ?? []), flag]);
  }
  return [...groups];
}

/**
 * @param {Command['exits']} exits
 * @returns {[string, string][]}
 */
function exitRows(exits) {
  return Object.entries({ 0: 'done', ...exits });
}

// Markdown

/**
 * Every page of the reference by its path below `docs/`.
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
 * Angle brackets are words of ours, not tags; what stands in back-ticks is code anyway.
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
  const { args, effect, examples, exits, flags, notes, output, path, summary, usage } = command;
  const shape = output?.['description'];
  return [
    ...(isGroup ? [`## ${path}`, plain(sentence(summary))] : []),
    code(usage),
    EFFECTS[effect],
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
    'Every command has these, before or after its name. [The error codes](../errors.md) have a page of their own.',
    ...byHeading(flags).map(([heading, of]) => table([heading, 'Meaning'], of.map(flagRow))),
  );
}

/** @param {Reference} reference */
function errorsPage({ errors }) {
  return page(
    '# Error codes',
    'Under `-o json` an error has one of these codes. `cdpadm help error CODE` prints the same text.',
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

// mdoc

/**
 * Every manual page by its file name. `date` is that of the release, as `2026-01-31`.
 * @param {Reference} reference
 * @param {string} date
 * @returns {Map<string, string>}
 */
export function manPages(reference, date) {
  const { groups, version } = reference;
  const pages = new Map([['cdpadm.1', manPage([], reference.summary, rootSections(reference))]]);
  /** @param {string[]} words @param {string} summary @param {readonly string[]} sections */
  function manPage(words, summary, sections) {
    const name = ['cdpadm', ...words].join('-');
    return [
      `.Dd ${mdocDate(date)}`,
      `.Dt ${name.toUpperCase()} 1`,
      `.Os cdpadm ${version}`,
      '.Sh NAME',
      `.Nm ${roff(name)}`,
      `.Nd ${roff(summary.replace(/\.$/, ''))}`,
      ...sections,
      '',
    ].join('\n');
  }
  for (const { commands, name, summary } of groups) {
    if (commands.every(({ path }) => path !== name))
      pages.set(`cdpadm-${name}.1`, manPage([name], summary, listOf(commands)));
    for (const command of commands) {
      const words = command.path.split(' ');
      pages.set(`cdpadm-${words.join('-')}.1`, manPage(words, command.summary, commandSections(command)));
    }
  }
  return pages;
}

/** @param {string} date */
function mdocDate(date) {
  const format = new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric', year: 'numeric', timeZone: 'UTC' });
  return format.format(new Date(date));
}

/**
 * One line of text. A back-slash comes first, for what follows adds some; a leading `.` or `'` would be a request, and a short
 * capitalized word a macro.
 * @param {string} text
 */
function roff(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/(^|\s)(?=[A-Z][a-z]?(?:\s|$))/g, '$1\\&')
    .replace(/^(?=[.'])/, '\\&');
}

/**
 * Text as lines: each sentence begins one.
 * @param {string} text
 */
function prose(text) {
  const lines = text.replace(/(?<=[.!?][)"'`]*) +/g, '\n').split('\n');
  return lines.map((line) => roff(line.trim())).filter((line) => line !== '');
}

/** Lines as they are. @param {readonly string[]} lines */
const display = (lines) => ['.Bd -literal -offset indent', ...lines.map((line) => roff(line) || '.sp'), '.Ed'];

/** A list of terms and meanings. @param {readonly (readonly [string, string])[]} items */
function terms(items) {
  if (items.length === 0) return [];
  return ['.Bl -tag -width Ds', ...items.flatMap(([term, text]) => [`.It ${roff(term)}`, ...prose(text)]), '.El'];
}

/** @param {readonly Command[]} commands */
function listOf(commands) {
  return [
    '.Sh COMMANDS',
    'Each command has a page of its own.',
    ...terms(commands.map(({ path, summary }) => [`cdpadm ${path}`, summary])),
    ...seeAlso(),
  ];
}

/** @param {Command} command */
function commandSections({ args, effect, examples, exits, flags, notes, output, summary, usage }) {
  const shape = output?.['description'];
  return [
    '.Sh SYNOPSIS',
    roff(usage),
    '.Sh DESCRIPTION',
    ...prose(`${sentence(summary)} ${EFFECTS[effect]}`),
    ...notes.flatMap((note) => ['.Pp', ...prose(note)]),
    ...(args.length === 0 ? [] : ['.Ss Arguments', ...terms(args.map((arg) => [arg.name, meaning(arg)]))]),
    ...byHeading(flags).flatMap(([heading, of]) => [
      `.Ss ${roff(heading)}`,
      ...terms(of.map((flag) => [typed(flag), meaning(flag)])),
    ]),
    // It may break after each comma.
    ...(typeof shape === 'string'
      ? ['.Ss JSON', ...shape.split('\n').map((line) => roff(line).replaceAll(',', ',\\:'))]
      : []),
    '.Sh EXIT STATUS',
    ...terms(exitRows(exits)),
    '.Sh EXAMPLES',
    ...display(examples.map((example) => `$ ${example}`)),
    ...seeAlso(),
  ];
}

/** @param {Reference} reference */
function rootSections({ flags, groups, summary, topics }) {
  return [
    '.Sh SYNOPSIS',
    'cdpadm <command> [flags]',
    '.Sh DESCRIPTION',
    roff(summary),
    '.Ss Commands',
    ...terms(groups.map((group) => [group.name, group.summary])),
    ...byHeading(flags).flatMap(([heading, of]) => [
      `.Ss ${roff(heading)}`,
      ...terms(of.map((flag) => [typed(flag), meaning(flag)])),
    ]),
    ...Object.entries(topics)
      .sort(([one], [other]) => TOPICS.indexOf(one) - TOPICS.indexOf(other))
      .flatMap(([topic, text]) => [
        `.Sh ${SECTIONS[topic] ?? topic.toUpperCase()}`,
        ...display(text.trimEnd().split('\n').slice(2)),
      ]),
  ];
}

/** The order of sections in every manual; another topic comes before them. */
const TOPICS = ['environment', 'files', 'exit-codes', 'recipes'];

/** @type {Record<string, string | undefined>} */
const SECTIONS = { 'exit-codes': 'EXIT STATUS', recipes: 'EXAMPLES' };

function seeAlso() {
  return ['.Sh SEE ALSO', '.Xr cdpadm 1'];
}
