// Runs a command for the MCP server: in this process, with its own streams and the content from the assistant.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { Readable } from 'node:stream';
import { onAbort } from '../../kernel/clock.ts';
import { usageError } from '../../kernel/errors.ts';
import { isRecord, parseJson, tryJson } from '../../kernel/json.ts';
import { makeScratchFolder } from '../../kernel/temporary-file.ts';
import { targetFlags } from '../command-line/complete-hint.ts';
import { type CommandRecord, flagName } from '../command-line/define-command.ts';
import type { Context, TextSink } from '../context.ts';
import { choiceHint } from '../../kernel/nearest.ts';

/** Time limit for a call. A longer call would block the session. */
const LIMIT = '2m';

export interface Outcome {
  code: number;
  data?: unknown;
  error?: Record<string, unknown>;
  warnings: string[];
  /** The command's calls, each with its response, sorted. */
  read: string[];
}

/** Called before a command's first write, with its calls until then. Throws to prevent the write. */
type WriteCheck = (read: readonly string[]) => void;

export type Values = Readonly<Record<string, unknown>>;

/** Runs a record's command with these values. `more` contains additional flags, such as `--dry-run`. */
export async function runRecord(
  ctx: Context,
  record: CommandRecord,
  values: Values,
  more: readonly string[],
  signal: AbortSignal,
  check?: WriteCheck,
): Promise<Outcome> {
  const folder = makeScratchFolder('mcp');
  try {
    const words = wordsOf(record, values, (content, format) => storeIn(folder, record, content, format));
    return await runWords(ctx, [...more, ...words], signal, folder, check);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function runWords(
  ctx: Context,
  words: readonly string[],
  signal: AbortSignal,
  folder: string,
  check?: WriteCheck,
): Promise<Outcome> {
  const [out, err] = [sink(), sink()];
  const read: string[] = [];
  let hasWritten = false;
  const stop = new AbortController();
  const abort = (): void => stop.abort(signal.reason);
  if (signal.aborted) abort();
  const ignoreAbort = onAbort(signal, abort);
  const { env, cwd, clock, random } = ctx.io;
  const io = {
    // The assistant reads this output, so omit the workflow commands for GitHub Actions.
    env: { ...env, GITHUB_ACTIONS: undefined },
    ...{ cwd, clock, stdin: Readable.from([]), stdout: out, stderr: err, inputsBelow: folder },
    ...{ columns: () => 80, rows: () => 24 },
    tty: { stdin: false, stdout: false, stderr: false },
    random: () => random(),
    onResponse: (call: string, text: string) => void read.push(`${call}\n${text}`),
    beforeWrite: () => {
      if (!hasWritten) check?.(read);
      hasWritten = true;
    },
  };
  try {
    const code = await ctx.runCommand([...globalFlags(ctx), ...words], io, stop);
    // The assistant does not know the scratch folder, so show only the paths that it passed.
    const [stdout, stderr] = [out, err].map(({ text }) => text().replaceAll(`${folder}${sep}`, ''));
    return { code, ...documentsOf(stdout ?? '', stderr ?? ''), read: read.sort() };
  } finally {
    ignoreAbort();
  }
}

function globalFlags({ flags }: Context): string[] {
  const { requestTimeoutMs, retries, traceFile } = flags;
  return [
    ...targetFlags(flags).map(([flag, value]) => `${flag}=${value}`),
    ...(traceFile === undefined ? [] : [`--trace-file=${traceFile}`]),
    ...[`--request-timeout=${requestTimeoutMs}ms`, `--retries=${retries}`, `--timeout=${LIMIT}`],
    ...['--output=json', '--no-input', '--progress=none', '--color=never'],
  ];
}

/** Parses both outputs. Standard error has one JSON document per line: warnings, then the error. */
function documentsOf(stdout: string, stderr: string): Omit<Outcome, 'code' | 'read'> {
  const documents = stderr.split('\n').map(tryJson).filter(isRecord);
  const [error] = documents.map((it) => it['error']).filter(isRecord);
  const warnings = documents.map((it) => it['warning']).filter(isRecord);
  return {
    ...(stdout.trim() !== '' && { data: parseJson(stdout) }),
    ...(error && { error }),
    warnings: warnings.map(({ message }) => String(message)),
  };
}

function sink(): TextSink & { text(): string } {
  const chunks: Uint8Array[] = [];
  return {
    errored: null,
    write: (chunk, done) => {
      chunks.push(Buffer.from(chunk));
      done?.();
      return true;
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

/** Stores content in a file with an extension, from which commands infer the format. */
function storeIn(folder: string, { flags = {} }: CommandRecord, content: unknown, format: unknown): string {
  if (!isRecord(content)) {
    const text = String(content);
    // The command validates the format later. Here, only make sure that it cannot form a path.
    const given = typeof format === 'string' && /^[a-z]+$/.test(format) ? format : undefined;
    return save(folder, `content.${given ?? extensionOf(text, 'format' in flags)}`, text);
  }
  for (const [path, text] of Object.entries(content)) {
    const safe = normalize(path);
    if (!/^[\w-][\w./-]*$/.test(path) || safe.startsWith('..') || typeof text !== 'string') {
      throw usageError(`\`${path}\` must be a non-empty relative path, such as connections/main.yaml.`);
    }
    save(folder, join('files', safe), text);
  }
  return join(folder, 'files');
}

function extensionOf(text: string, isTable: boolean): string {
  if (!/^\s*[[{]/.test(text)) return isTable ? 'csv' : 'yaml';
  return tryJson(text) !== undefined ? 'json' : 'ndjson';
}

function save(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

export interface Parameter {
  name: string;
  flag?: string;
  /** `file` and `folder` accept the content itself, because an assistant must not choose files on this machine. */
  form: 'text' | 'number' | 'switch' | 'file' | 'folder';
  many: boolean;
  required: boolean;
  help: string;
  choices?: readonly string[] | undefined;
  most?: number | undefined;
  planned?: ((now: number) => string) | undefined;
}

export function parametersOf({ args = {}, flags = {}, tool }: CommandRecord): Parameter[] {
  const own = Object.entries(args).map(([key, spec]): Parameter => {
    const name = spec.name ?? key;
    const form = formOf(name);
    const isOptional = spec.optional ?? spec.default !== undefined;
    return {
      name: snake(name),
      form,
      many: spec.many === true && form === 'text',
      // The default would be a file on this machine.
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
    ...offered.map(([key, { choices, help, many, most, planned, required, value }]): Parameter => ({
      name: snake(key),
      flag: flagName(key),
      form: value === undefined ? 'switch' : most === undefined ? formOf(value) : 'number',
      many: many === true,
      required: required === true,
      help: briefly(help, value),
      ...{ choices, most, planned },
    })),
  ];
}

function formOf(placeholder: string): 'text' | 'file' | 'folder' {
  return placeholder === 'file' ? 'file' : placeholder === 'dir' ? 'folder' : 'text';
}

/** Omits text after a semicolon, which applies only to the command line. */
function briefly(help: string, placeholder = ''): string {
  const format = placeholder.includes('=') ? `, ${placeholder}` : '';
  return help.replace(/;.*/, format).replaceAll(/--[a-z]+(?:-[a-z]+)*/g, (flag) => `\`${snake(flag.slice(2))}\``);
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_');
}

function describe({ form, help }: Pick<Parameter, 'form' | 'help'>): string {
  return form === 'file' || form === 'folder' ? `the content itself, not a path: ${help}` : help;
}

/** Returns the JSON Schema for a parameter that one or more commands share. */
export function schemaOf(parameters: readonly [Parameter, ...Parameter[]]): Record<string, unknown> {
  const [{ choices, form, most }] = parameters;
  const many = parameters.some((it) => it.many);
  const help = [...new Set(parameters.map((it) => it.help))].join('; or: ');
  const description = describe({ form, help });
  if (form === 'switch') return { type: 'boolean', description };
  if (form === 'number') return { type: 'integer', minimum: 1, maximum: most, description };
  if (form === 'folder') return { type: 'object', additionalProperties: { type: 'string' }, description };
  const text = { type: 'string', ...(choices && { enum: choices }) };
  return many ? { type: 'array', items: text, description } : { ...text, description };
}

/** Omits global flags. `store` stores content and returns its path. Throws usage (2) for a wrong argument. */
export function wordsOf(
  record: CommandRecord,
  values: Values,
  store: (content: never, format: unknown) => string,
): string[] {
  const known = parametersOf(record);
  const names = known.map(({ name }) => name);
  for (const name of Object.keys(values)) {
    if (names.includes(name)) continue;
    const hint = names.length === 0 ? `This command has no arguments. Omit \`${name}\`.` : choiceHint(name, names);
    const fixed = `Omit it: the command that starts this server sets the target.`;
    const isTarget = ['profile', 'org', 'account', 'workspace'].includes(name);
    throw usageError(`Unknown argument \`${name}\` for \`${record.path}\`.`, isTarget ? fixed : hint);
  }
  const flags: string[] = [];
  const args: string[] = [];
  for (const parameter of known) {
    const { flag, form, name, required } = parameter;
    const value = values[name];
    if (value === undefined || value === null) {
      const missing = `Missing argument \`${name}\` for \`${record.path}\`.`;
      if (required) throw usageError(missing, `Pass \`${name}\`: ${describe(parameter)}.`);
    } else if (form === 'switch') {
      if (typeof value !== 'boolean') throw wrongType(name, 'true or false');
      if (value) flags.push(flag ?? '');
    } else {
      const texts = textsOf(parameter, value, (content) => store(content, values['format']));
      if (flag === undefined) args.push(...texts);
      else flags.push(...texts.map((text) => `${flag}=${text}`));
    }
  }
  // After `--`, arguments are never parsed as flags.
  return [...record.path.split(' '), ...flags, '--', ...args];
}

function textsOf({ form, many, name }: Parameter, value: unknown, store: (content: never) => string): string[] {
  if (form === 'folder') {
    if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(name, 'an object that maps paths to text');
    return [store(value as never)];
  }
  if (form === 'number' && Number.isSafeInteger(value)) return [String(value)];
  return [value].flat().map((one: unknown, index): string => {
    // A number may already have lost digits, so the schema accepts only strings.
    if (typeof one !== 'string' || (index > 0 && !many))
      throw wrongType(name, form === 'number' ? 'a whole number' : many ? 'a string list' : 'a string');
    if (form === 'file' && isPath(one)) throw wrongType(name, 'the contents of the file, not its path');
    return form === 'file' ? store(one as never) : one;
  });
}

/** True for a single word that contains a slash or ends in an extension. */
function isPath(text: string): boolean {
  return !/[\s,;|"[{]/.test(text) && /^(?:[a-z]:\\)?[^:]*$/i.test(text) && /[/\\]|\.[a-z]+$/i.test(text);
}

function wrongType(name: string, wanted: string) {
  return usageError(`\`${name}\` must be ${wanted}.`);
}
