// Generates the manual pages in mdoc from the command records.
import { byHeading, effectOf, exitRows, meaning, sentence, typed } from './reference.mjs';

/**
 * @typedef {import('../src/commands/help/describe.ts').Reference} Reference
 * @typedef {Reference['groups'][number]} Group
 * @typedef {Group['commands'][number]} Command
 */

/**
 * Returns the text of each manual page, by file name. `date` is the date of the release, such as `2026-01-31`.
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
      pages.set(`cdpadm-${name}.1`, manPage([name], summary, listOf(name, commands)));
    const group = [name, ...commands.map(({ path }) => path)];
    for (const command of commands) {
      const words = command.path.split(' ');
      const sections = [...commandSections(command), ...seeAlso(command.path, group)];
      pages.set(`cdpadm-${words.join('-')}.1`, manPage(words, command.summary, sections));
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
 * Escapes one line of text. Backslashes are escaped first, because the other escapes add backslashes. Without escapes,
 * a leading `.` or `'` would start a request, and a short capitalized word would be a macro.
 * @param {string} text
 */
function roff(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/(?<=^|[\s(])(?=\\-)/g, '\\%')
    .replace(/(^|\s)(?=[A-Z][a-z]?(?:\s|$))/g, '$1\\&')
    .replace(/^(?=[.'])/, '\\&');
}

/**
 * Splits text into lines, one for each sentence.
 * @param {string} text
 */
function prose(text) {
  const lines = text.replace(/(?<=[.!?][)"'`]*) +/g, '\n').split('\n');
  return lines.map((line) => roff(line.trim())).filter((line) => line !== '');
}

/** Returns a literal block. @param {readonly string[]} lines */
const display = (lines) => ['.Bd -literal -offset indent', ...lines.map((line) => roff(line) || '.sp'), '.Ed'];

/** Returns a list of terms and meanings. @param {readonly (readonly [string, string])[]} items */
function terms(items) {
  if (items.length === 0) return [];
  return ['.Bl -tag -width Ds', ...items.flatMap(([term, text]) => [`.It ${roff(term)}`, ...prose(text)]), '.El'];
}

/** @param {string} name @param {readonly Command[]} commands */
function listOf(name, commands) {
  return [
    '.Sh COMMANDS',
    'Each command has a page of its own.',
    ...terms(commands.map(({ path, summary }) => [`cdpadm ${path}`, summary])),
    ...seeAlso(
      name,
      commands.map(({ path }) => path),
    ),
  ];
}

/** @param {Command} command */
function commandSections(command) {
  const { args, examples, exits, flags, notes, output, summary, usage } = command;
  const shape = output?.['description'];
  return [
    '.Sh SYNOPSIS',
    roff(usage),
    '.Sh DESCRIPTION',
    ...prose(`${sentence(summary)} ${effectOf(command)}`),
    ...notes.flatMap((note) => ['.Pp', ...prose(note)]),
    ...(args.length === 0 ? [] : ['.Ss Arguments', ...terms(args.map((arg) => [arg.name, meaning(arg)]))]),
    ...byHeading(flags).flatMap(([heading, of]) => [
      `.Ss ${roff(heading)}`,
      ...terms(of.map((flag) => [typed(flag), meaning(flag)])),
    ]),
    ...GLOBAL_FLAGS,
    ...(typeof shape === 'string' ? ['.Ss JSON', ...display(folded(shape.replaceAll(',', ', ')))] : []),
    '.Sh EXIT STATUS',
    ...terms(exitRows(exits)),
    '.Sh EXAMPLES',
    ...display(examples.map((example) => `$ ${example}`)),
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

/** Topics in the order that is usual for manual pages; other topics come before them. */
const TOPICS = ['environment', 'files', 'exit-codes', 'recipes'];

/** @type {Record<string, string | undefined>} */
const SECTIONS = { 'exit-codes': 'EXIT STATUS', recipes: 'EXAMPLES' };

const GLOBAL_FLAGS = [
  '.Ss Global flags',
  'Every command also has the global flags of',
  '.Xr cdpadm 1 ,',
  'such as',
  roff('--profile, --dry-run, --yes and --output.'),
];

/**
 * Breaks text at spaces into lines of at most 70 characters, if possible.
 * @param {string} text
 */
function folded(text) {
  return text.match(/\S.{0,69}(?=\s|$)|\S+/g) ?? [];
}

/**
 * Returns references to the program's main page and to the other pages of a group.
 * @param {string} own the command of this page
 * @param {readonly string[]} paths
 */
function seeAlso(own, paths) {
  const others = [...new Set(paths)]
    .filter((path) => path !== own)
    .map((path) => `cdpadm-${path.replaceAll(' ', '-')}`);
  const names = ['cdpadm', ...others.sort()];
  return ['.Sh SEE ALSO', ...names.map((name, index) => `.Xr ${name} 1${index < names.length - 1 ? ' ,' : ''}`)];
}
