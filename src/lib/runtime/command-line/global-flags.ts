// Global flags, which are defined once on the root, and checked once before an action runs.
import type { Command } from 'commander';
import { quickOutput } from '../../config/quick-settings.ts';
import { OUTPUT_FORMATS } from '../../config/setting-fields.ts';
import { LONGEST_TIMER_MS } from '../../kernel/clock.ts';
import { usageError } from '../../kernel/errors.ts';
import { host } from '../../kernel/host.ts';
import { choiceHint } from '../../kernel/nearest.ts';
import { parseDuration } from '../../kernel/timestamps.ts';
import type { GlobalFlags, Io, OutputFormat } from '../context.ts';
import { type FlagSpec, flagName, optionOf } from './define-command.ts';
import { checkPath, needValue } from './read-word.ts';

export { OUTPUT_FORMATS };
/** Output format for each extension of `--out`, unless `-o` sets the format. */
const EXTENSION_FORMATS: Readonly<Record<string, OutputFormat>> = {
  json: 'json',
  ndjson: 'ndjson',
  yaml: 'yaml',
  yml: 'yaml',
  csv: 'csv',
  md: 'markdown',
  html: 'html',
  txt: 'table',
};
/** Plain-text formats, which are allowed in a `.txt` file (decision: D245). */
const PLAIN_FORMATS: readonly NamedFormat[] = ['table', 'wide', 'name'];
export const FLAG_CHOICES = {
  '--color': ['auto', 'always', 'never'],
  '--progress': ['auto', 'plain', 'json', 'none'],
  '--annotations': ['auto', 'github', 'none'],
} as const;

const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 4;
const MAX_RETRIES = 20;

/** Flags by heading, in the order of `cdpadm help flags`. */
const GLOBAL_FLAGS: Readonly<Record<string, Readonly<Record<string, FlagSpec>>>> = {
  'Platform:': {
    profile: {
      value: 'name',
      many: true,
      help: 'profile to use (default: the current one); `local` is the embedded platform; may be repeated to read from several',
    },
    org: { value: 'id', help: "organization to use instead of the profile's" },
    account: { value: 'id', help: "account to use instead of the profile's" },
    workspace: { value: 'id', help: "workspace to use instead of the profile's" },
  },
  'Output:': {
    output: {
      short: 'o',
      value: 'format',
      help: `${OUTPUT_FORMATS.join(', ')} (default: table; wide shows all columns in full)`,
    },
    json: { help: 'the same as -o json' },
    query: { value: 'expr', help: 'JMESPath expression for the result; 64-bit ids compare as strings' },
    fields: { value: 'a,b', help: 'columns of table, csv and markdown (default: all)' },
    header: { default: true, help: 'omit the header line from table, csv and markdown output' },
    out: {
      value: 'file',
      help: 'write the result to a file instead of standard output; its extension sets the format',
    },
    summary: { help: 'append the result or error as Markdown to the file in $GITHUB_STEP_SUMMARY' },
    annotations: {
      value: 'how',
      help: 'annotate issues with their file and line, except with JSON output: auto, github or none (default: auto)',
    },
    color: { value: 'when', help: 'auto, always or never (default: auto)' },
    noColor: { help: 'the same as --color never' },
  },
  'Confirmation and safety:': {
    dryRun: { short: 'n', help: 'show what would be done or sent, without doing it' },
    yes: { short: 'y', help: 'answer yes to ordinary confirmations' },
    confirm: { value: 'value', many: true, help: 'answer to a typed confirmation (repeatable)' },
    input: { default: true, help: 'never prompt; a missing value is an error that names its flag' },
  },
  'Messages:': {
    quiet: { short: 'q', help: 'print only the result, warnings and errors' },
    verbose: { short: 'v', help: 'also print decisions and retries' },
    debug: { help: 'also print redacted HTTP lines and stack traces' },
    progress: { value: 'how', help: 'auto, plain, json or none (default: auto)' },
  },
  'Network:': {
    timeout: { value: 'dur', help: 'time limit for the whole command, such as 90s or 10m (default: none)' },
    requestTimeout: { value: 'dur', help: 'time limit for one request (default: 30s)' },
    retries: { value: 'n', help: `retry limit (default: ${DEFAULT_RETRIES})` },
    caFile: { value: 'file', help: "PEM file of additional certificate authorities to trust (default: the profile's)" },
    traceFile: { value: 'file', help: 'write all requests and responses to a file as redacted NDJSON' },
    curl: { help: 'print the equivalent curl command instead of sending the request' },
  },
};

export function defineGlobalFlags(root: Command): void {
  for (const [heading, flags] of Object.entries(GLOBAL_FLAGS))
    for (const [key, spec] of Object.entries(flags)) root.addOption(optionOf(key, { ...spec, heading }));
}

/** Includes `wide`, which also produces a table. */
type NamedFormat = (typeof OUTPUT_FORMATS)[number];
type Raw = Record<string, unknown>;
type Environment = Readonly<Record<string, string | undefined>>;

/** `offered` contains the formats of the command, and `preferred` is the project file's format. */
export function readGlobalFlags(
  raw: Raw,
  env: Environment,
  offered: readonly NamedFormat[] = OUTPUT_FORMATS,
  { outSetsFormat = true, preferred }: { outSetsFormat?: boolean; preferred?: string | undefined } = {},
): GlobalFlags {
  const flag = formatFlag(raw, offered);
  const ofFile = outSetsFormat ? fileFormat(raw, flag) : undefined;
  const wanted = flag ?? ofFile ?? defaultFormat(env, offered, preferred);
  const output = wanted === 'wide' ? 'table' : wanted;
  const fields = text(raw, 'fields')
    ?.split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '');
  if (fields && !['table', 'csv', 'markdown'].includes(output)) {
    throw usageError('--fields applies only to table, csv and markdown.', `With -o ${output}, use --query.`);
  }
  const id = (name: string) =>
    checked(raw, name, 'a number such as 12345', (it) => (/^\d{1,19}$/.test(it) ? it : undefined));
  const duration = (name: string) => checked(raw, name, 'a duration such as 500ms, 30s, 15m or 8h', readDuration);
  const given = (raw['profile'] as string[] | undefined) ?? [];
  const profiles = [...new Set(given.map((name) => text({ profile: name }, 'profile') ?? ''))];
  return {
    profile: profiles[0],
    profiles,
    workspace: id('workspace'),
    org: id('org'),
    account: id('account'),
    output,
    wide: wanted === 'wide',
    ...(flag === undefined && ofFile !== undefined && { formatOfFile: true as const }),
    query: text(raw, 'query'),
    fields,
    header: raw['header'] !== false,
    out: text(raw, 'out'),
    summary: raw['summary'] === true,
    annotations: oneOf(text(raw, 'annotations') ?? 'auto', FLAG_CHOICES['--annotations'], '--annotations'),
    dryRun: raw['dryRun'] === true,
    yes: raw['yes'] === true,
    confirm: (raw['confirm'] as string[] | undefined) ?? [],
    input: raw['input'] !== false,
    quiet: raw['quiet'] === true,
    verbose: raw['verbose'] === true,
    debug: raw['debug'] === true || env.CDPADM_DEBUG === '1' || env.RUNNER_DEBUG === '1',
    traceFile: checkPath(text(raw, 'traceFile') ?? env.CDPADM_TRACE_FILE ?? '', '--trace-file') || undefined,
    curl: raw['curl'] === true,
    requestTimeoutMs: Math.min(duration('requestTimeout') ?? DEFAULT_REQUEST_TIMEOUT_MS, LONGEST_TIMER_MS),
    retries: checked(raw, 'retries', `a whole number from 0 to ${MAX_RETRIES}`, readRetries) ?? DEFAULT_RETRIES,
    timeoutMs: duration('timeout'),
    caFile: text(raw, 'caFile'),
    color: raw['color'] === false ? 'never' : oneOf(text(raw, 'color') ?? 'auto', FLAG_CHOICES['--color'], '--color'),
    progress: oneOf(text(raw, 'progress') ?? 'auto', FLAG_CHOICES['--progress'], '--progress'),
  };
}

/** Like `readGlobalFlags`, but never throws. Used to report errors that occur before the flags are checked. */
export function lenientFlags(raw: Raw, env: Environment, preferred?: string): GlobalFlags {
  try {
    return readGlobalFlags(raw, env, OUTPUT_FORMATS, { outSetsFormat: false, preferred });
  } catch {
    const output = raw['json'] === true ? 'json' : OUTPUT_FORMATS.find((format) => format === raw['output']);
    const kept = { ...(raw['color'] === false && { color: false }), ...(raw['summary'] === true && { summary: true }) };
    return readGlobalFlags({ ...(output && { output }), ...kept }, {});
  }
}

/** Returns the project file's output format. A removed working directory is reported later. */
export function preferredFormat(io: Pick<Io, 'cwd' | 'env'>): string | undefined {
  let cwd: string;
  try {
    ({ cwd } = io);
  } catch {
    return undefined;
  }
  return quickOutput(cwd, host.home(io.env));
}

/** Returns the format for the extension of `--out`. Throws KnownError usage (2) if `flag` names a different format. */
function fileFormat(raw: Raw, flag: NamedFormat | undefined): OutputFormat | undefined {
  const out = text(raw, 'out');
  const extension = /\.([a-z]+)$/i.exec(out ?? '')?.[1]?.toLowerCase() ?? '';
  if (!Object.hasOwn(EXTENSION_FORMATS, extension)) return undefined;
  const format = EXTENSION_FORMATS[extension];
  const isPlain = format === 'table' && flag !== undefined && PLAIN_FORMATS.includes(flag);
  if (flag !== undefined && flag !== format && !isPlain) {
    throw usageError(
      `-o ${flag} conflicts with --out ${out}: .${extension} means ${format}.`,
      `Omit -o, or use an extension that fits ${flag}.`,
    );
  }
  return format;
}

function defaultFormat(env: Environment, offered: readonly NamedFormat[], preferred?: string): NamedFormat {
  if (env.CDPADM_OUTPUT) return oneOf(env.CDPADM_OUTPUT, OUTPUT_FORMATS, 'CDPADM_OUTPUT', offered);
  return preferred === 'wide' ? preferred : (offered.find((format) => format === preferred) ?? 'table');
}

function formatFlag(raw: Raw, offered: readonly NamedFormat[]): NamedFormat | undefined {
  if (raw['json'] === true) {
    const other = text(raw, 'output');
    if (other !== undefined && other !== 'json') throw usageError(`--json conflicts with -o ${other}.`);
    return 'json';
  }
  const flag = text(raw, 'output');
  return flag === undefined ? undefined : oneOf(flag, OUTPUT_FORMATS, '--output', offered);
}

function text(raw: Raw, name: string): string | undefined {
  const value = raw[name];
  return typeof value === 'string' ? needValue(value, flagName(name)) : undefined;
}

/** `wanted` describes the values that `read` accepts: it returns undefined for any other. */
function checked<T>(raw: Raw, name: string, wanted: string, read: (text: string) => T | undefined): T | undefined {
  const value = text(raw, name);
  const result = value === undefined ? undefined : read(value);
  if (value === undefined || result !== undefined) return result;
  throw usageError(`${flagName(name)} must be ${wanted}, not \`${value}\`.`);
}

function readDuration(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms === 0 ? undefined : ms;
}

function readRetries(text: string): number | undefined {
  return /^\d{1,2}$/.test(text) && Number(text) <= MAX_RETRIES ? Number(text) : undefined;
}

/** `offered` contains the allowed values that this command accepts. */
function oneOf<const T extends string>(value: string, allowed: readonly T[], flag: string, offered = allowed): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  // Otherwise, the hint would suggest `csv`.
  const isTabbed = flag === '--output' && value === 'tsv';
  const hint = isTabbed ? 'Omit -o: a piped table is tab-separated.' : choiceHint(value, offered);
  throw usageError(`Invalid value \`${value}\` for ${flag}.`, hint);
}
