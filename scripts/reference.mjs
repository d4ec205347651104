// Describes flags, effects and exit codes for both reference formats, Markdown and mdoc.

/**
 * @typedef {import('../src/commands/help/describe.ts').Reference} Reference
 * @typedef {Reference['groups'][number]} Group
 * @typedef {Group['commands'][number]} Command
 * @typedef {Command['flags'][number]} Flag
 * @typedef {Command['args'][number]} Arg
 */

const EFFECTS = {
  read: 'Reads from the platform without changing anything there.',
  write: 'Writes to the platform.',
  local: 'Makes no changes on the platform.',
};

/** @param {Command} command */
export function effectOf({ effect, exits, path }) {
  if (path === 'api') return 'Writes to the platform, unless the method is GET.';
  if (path === 'mcp') return 'Writes to the platform only with --allow-writes.';
  if (path.startsWith('emulator ')) return 'Makes no changes on a real platform.';
  // A read without a network exit code, such as `profile show`, does not need the platform.
  return EFFECTS[effect === 'read' && !('8' in exits) ? 'local' : effect];
}

/** @param {string} text */
export function sentence(text) {
  const full = /[.!?]$/.test(text) ? text : `${text}.`;
  return full.charAt(0).toUpperCase() + full.slice(1);
}

/**
 * Describes a flag or argument: its help, choices and default, and whether it is repeatable or required.
 * @param {Flag | Arg} value
 */
export function meaning({ choices, default: standard, help, many, required }) {
  const more = [
    ...(choices ? [`${choices.length > 1 ? 'one of' : 'only'} ${choices.join(', ')}`] : []),
    ...(standard === undefined ? [] : [`default: ${standard}`]),
    ...(many && !/repeat|several/.test(help) ? ['repeatable'] : []),
    ...(required ? ['required'] : []),
  ];
  return more.length === 0 ? help : `${help} (${more.join('; ')})`;
}

/** @param {Flag} flag */
export function typed({ flag, short, value }) {
  return `${short === undefined ? '' : `${short}, `}${flag}${value === null ? '' : ` <${value}>`}`;
}

/**
 * Groups flags by heading, in the order of the help.
 * @param {readonly Flag[]} flags
 */
export function byHeading(flags) {
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
export function exitRows(exits) {
  return Object.entries({ 0: 'done', ...exits });
}
