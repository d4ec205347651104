// The arguments of a command as an assistant passes them, and the command line that they become.
import { usageError } from '../../kernel/errors.ts';
import { choiceHint } from '../../kernel/nearest.ts';
import { type CommandRecord, flagName } from '../command-line/define-command.ts';

export interface Parameter {
  /** `add_task`. */
  name: string;
  /** Absent for an argument. */
  flag?: string;
  /** `file` and `folder`: the content itself, because an assistant must not choose files of this machine. */
  form: 'text' | 'switch' | 'file' | 'folder';
  many: boolean;
  required: boolean;
  help: string;
  choices?: readonly string[] | undefined;
  planned?: ((now: number) => string) | undefined;
}

/** Arguments first. */
export function parametersOf({ args = {}, flags = {}, tool }: CommandRecord): Parameter[] {
  const own = Object.entries(args).map(([key, spec]): Parameter => {
    const name = spec.name ?? key;
    const form = formOf(name);
    const isOptional = spec.optional ?? spec.default !== undefined;
    return {
      name: snake(name),
      form,
      many: spec.many === true && form === 'text',
      // The default is a file of this machine.
      required: form !== 'text' || !isOptional,
      help: briefly(spec.help),
      choices: spec.choices,
    };
  });
  const offered = Object.entries(flags).filter(
    ([key, { required }]) => required === true || (tool !== false && tool?.includes(key) === true),
  );
  return [
    ...own,
    ...offered.map(([key, { choices, help, many, planned, required, value }]): Parameter => ({
      name: snake(key),
      flag: flagName(key),
      form: value === undefined ? 'switch' : formOf(value),
      many: many === true,
      required: required === true,
      help: briefly(help, value),
      choices,
      planned,
    })),
  ];
}

function formOf(placeholder: string): 'text' | 'file' | 'folder' {
  return placeholder === 'file' ? 'file' : placeholder === 'dir' ? 'folder' : 'text';
}

/** What follows a semicolon is about the command line. */
function briefly(help: string, placeholder = ''): string {
  const format = placeholder.includes('=') ? `, ${placeholder}` : '';
  return help.replace(/;.*/, format).replaceAll(/--[a-z]+(?:-[a-z]+)*/g, (flag) => `\`${snake(flag.slice(2))}\``);
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_');
}

/** The JSON Schema of the parameters of one name, which several commands may have. */
export function schemaOf(parameters: readonly [Parameter, ...Parameter[]]): Record<string, unknown> {
  const [{ choices, form }] = parameters;
  const many = parameters.some((it) => it.many);
  const help = [...new Set(parameters.map((it) => it.help))].join('; or: ');
  const isContent = form === 'file' || form === 'folder';
  const description = isContent ? `the content itself, not a path: ${help}` : help;
  if (form === 'switch') return { type: 'boolean', description };
  if (form === 'folder') return { type: 'object', additionalProperties: { type: 'string' }, description };
  const text = { type: 'string', ...(choices && { enum: choices }) };
  return many ? { type: 'array', items: text, description } : { ...text, description };
}

/** Stores a content and returns its path. */
export type Store = (content: string | Readonly<Record<string, unknown>>, format: unknown) => string;

/**
 * The words of the command line, without global flags. Throws KnownError usage (2) for an argument that is unknown, missing
 * or has another type.
 */
export function wordsOf(record: CommandRecord, values: Readonly<Record<string, unknown>>, store: Store): string[] {
  const known = parametersOf(record);
  const names = known.map(({ name }) => name);
  for (const name of Object.keys(values)) {
    if (!names.includes(name))
      throw usageError(`Unknown argument \`${name}\` of \`${record.path}\`.`, choiceHint(name, names));
  }
  const flags: string[] = [];
  const args: string[] = [];
  for (const parameter of known) {
    const { flag, form, name, required } = parameter;
    const value = values[name];
    if (value === undefined || value === null) {
      if (required) throw usageError(`Missing argument \`${name}\` of \`${record.path}\`.`);
    } else if (form === 'switch') {
      if (typeof value !== 'boolean') throw wrongType(name, 'true or false');
      if (value) flags.push(flag ?? '');
    } else {
      const texts = textsOf(parameter, value, (content) => store(content, values['format']));
      if (flag === undefined) args.push(...texts);
      else flags.push(...texts.map((text) => `${flag}=${text}`));
    }
  }
  // After `--`, an argument is never read as a flag.
  return [...record.path.split(' '), ...flags, '--', ...args];
}

function textsOf({ form, many, name }: Parameter, value: unknown, store: (content: never) => string): string[] {
  if (form === 'folder') {
    if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(name, 'an object: path to content');
    return [store(value as never)];
  }
  return [value].flat().map((one, index): string => {
    // A larger number has already lost digits.
    const text = typeof one === 'number' && Number.isSafeInteger(one) ? String(one) : one;
    if (typeof text !== 'string' || (index > 0 && !many)) throw wrongType(name, many ? 'a list of texts' : 'a text');
    return form === 'file' ? store(text as never) : text;
  });
}

function wrongType(name: string, wanted: string) {
  return usageError(`\`${name}\` must be ${wanted}.`);
}
