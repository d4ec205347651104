// The flags that every command understands: defined once on the root, read and checked once before an action.
import { homedir } from 'node:os';
import { Option, type Command } from 'commander';
import { quickOutput } from '../../config/quick-settings.ts';
import { OUTPUT_FORMATS } from '../../config/setting-fields.ts';
import { usageError } from '../../kernel/errors.ts';
import { choiceHint } from '../../kernel/nearest.ts';
import { parseDuration } from '../../kernel/timestamps.ts';
import type { GlobalFlags, Io, OutputFormat } from '../context.ts';

export { OUTPUT_FORMATS };
/** What the extension of `--out` stands for, where `-o` says nothing. */
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
/** Formats that are plain text, as `.txt` says (decision: D245). */
const PLAIN_FORMATS: readonly NamedFormat[] = ['table', 'wide', 'name'];
const COLOUR_MODES = ['auto', 'always', 'never'] as const;
const PROGRESS_MODES = ['auto', 'plain', 'json', 'none'] as const;
const ANNOTATION_MODES = ['auto', 'github', 'none'] as const;

/** What flags with few values take, for completion. */
export const FLAG_CHOICES = {
  '--output': OUTPUT_FORMATS,
  '--color': COLOUR_MODES,
  '--progress': PROGRESS_MODES,
  '--annotations': ANNOTATION_MODES,
} as const;

const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 4;
const MAX_RETRIES = 20;

/** Headings of `cdpadm help flags`, in its order. */
const WHERE = 'Which platform:';
const OUTPUT = 'Output:';
const SAFETY = 'Asking and safety:';
const WIRE = 'Network:';
const TALK = 'Messages:';

/** Adds every global flag to the root command. */
export function defineGlobalFlags(root: Command): void {
  const add = (group: string, flags: string, description: string): void => {
    root.addOption(new Option(flags, description).helpGroup(group));
  };
  root.addOption(
    repeatable(
      '--profile <name>',
      'which profile to use, `local` is the embedded platform (default: the current one); repeat it to read from several',
    ).helpGroup(WHERE),
  );
  add(WHERE, '--org <id>', "organization, instead of the profile's");
  add(WHERE, '--account <id>', "account, instead of the profile's");
  add(WHERE, '--workspace <id>', "workspace, instead of the profile's");
  add(OUTPUT, '-o, --output <format>', `${OUTPUT_FORMATS.join(', ')} (default: table; wide hides and cuts no column)`);
  add(OUTPUT, '--json', 'the same as -o json');
  add(OUTPUT, '--query <expr>', 'JMESPath over the data; 64-bit ids compare as strings');
  add(OUTPUT, '--fields <a,b>', 'columns of table, csv and markdown (default: all)');
  add(OUTPUT, '--no-header', 'no heading line in table, csv and markdown');
  add(OUTPUT, '--out <file>', 'write the result there instead of standard output; its extension sets the format');
  add(OUTPUT, '--summary', 'append the result, or the error, as Markdown to the file that $GITHUB_STEP_SUMMARY names');
  add(
    OUTPUT,
    '--annotations <how>',
    'issues with file and line for the code view, not under JSON: auto, github or none (default: auto)',
  );
  add(OUTPUT, '--color <when>', 'auto, always or never (default: auto)');
  add(OUTPUT, '--no-color', 'the same as --color never');
  add(SAFETY, '-n, --dry-run', 'show what would be done or sent, and do nothing');
  add(SAFETY, '-y, --yes', 'answer yes to ordinary confirmations');
  root.addOption(repeatable('--confirm <value>', 'what one would have typed; may be repeated').helpGroup(SAFETY));
  add(SAFETY, '--no-input', 'never ask; what is missing is an error that names its flag');
  add(TALK, '-q, --quiet', 'only the result, warnings and errors');
  add(TALK, '-v, --verbose', 'decisions and retries too');
  add(TALK, '--debug', 'redacted HTTP lines and stacks too');
  add(TALK, '--progress <how>', 'auto, plain, json or none (default: auto)');
  add(WIRE, '--timeout <dur>', 'how long the whole command may take, such as 90s or 10m (default: no limit)');
  add(WIRE, '--request-timeout <dur>', 'how long one request may take (default: 30s)');
  add(WIRE, '--retries <n>', `attempts after the first (default: ${DEFAULT_RETRIES})`);
  add(WIRE, '--ca-file <file>', "further trusted certificate authorities, PEM (default: the system's)");
  add(WIRE, '--trace-file <file>', 'every exchange as NDJSON, redacted');
  add(WIRE, '--curl', 'print the equivalent curl command and do nothing');
}

function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collect);
}

/** For commander: the values of a flag that may be repeated, in their order. */
function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** `wide` is a table, too. */
type NamedFormat = (typeof OUTPUT_FORMATS)[number];
type Raw = Record<string, unknown>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The flags as commander read them, checked and completed by `CDPADM_OUTPUT`. Throws KnownError usage (2) that names
 * the flag and what it takes: of formats `offered`, those of the command. `outSetsFormat`: the file that `--out` names
 * is the result. `preferred`: a project file's format, used where the command offers it.
 */
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
    throw usageError('--fields chooses the columns of table, csv and markdown.', `With -o ${output} use --query.`);
  }
  const profiles = profileNames(raw);
  return {
    profile: profiles[0],
    profiles,
    workspace: id(raw, 'workspace'),
    org: id(raw, 'org'),
    account: id(raw, 'account'),
    output,
    wide: wanted === 'wide',
    ...(flag === undefined && ofFile !== undefined && { formatOfFile: true as const }),
    query: text(raw, 'query'),
    fields,
    header: raw['header'] !== false,
    out: text(raw, 'out'),
    summary: raw['summary'] === true,
    annotations: oneOf(text(raw, 'annotations') ?? 'auto', ANNOTATION_MODES, '--annotations'),
    dryRun: raw['dryRun'] === true,
    yes: raw['yes'] === true,
    confirm: (raw['confirm'] as string[] | undefined) ?? [],
    input: raw['input'] !== false,
    quiet: raw['quiet'] === true,
    verbose: raw['verbose'] === true,
    debug: raw['debug'] === true || env.CDPADM_DEBUG === '1' || env.RUNNER_DEBUG === '1',
    traceFile: text(raw, 'traceFile') ?? (env.CDPADM_TRACE_FILE || undefined),
    curl: raw['curl'] === true,
    requestTimeoutMs: duration(raw, 'requestTimeout', '--request-timeout') ?? DEFAULT_REQUEST_TIMEOUT_MS,
    retries: retries(raw),
    timeoutMs: duration(raw, 'timeout', '--timeout'),
    caFile: text(raw, 'caFile'),
    color: raw['color'] === false ? 'never' : oneOf(text(raw, 'color') ?? 'auto', COLOUR_MODES, '--color'),
    progress: oneOf(text(raw, 'progress') ?? 'auto', PROGRESS_MODES, '--progress'),
  };
}

/** The same without any failure: enough to draw an error that came before the flags were checked. */
export function lenientFlags(raw: Raw, env: Environment, preferred?: string): GlobalFlags {
  try {
    return readGlobalFlags(raw, env, OUTPUT_FORMATS, { outSetsFormat: false, preferred });
  } catch {
    const output = raw['json'] === true ? 'json' : OUTPUT_FORMATS.find((format) => format === raw['output']);
    const kept = { ...(raw['color'] === false && { color: false }), ...(raw['summary'] === true && { summary: true }) };
    return readGlobalFlags({ ...(output && { output }), ...kept }, {});
  }
}

/** The format that a project file prefers; none where the working folder was removed: what needs it reports that. */
export function preferredFormat(io: Pick<Io, 'cwd' | 'env'>): string | undefined {
  let cwd: string;
  try {
    ({ cwd } = io);
  } catch {
    return undefined;
  }
  return quickOutput(cwd, io.env.HOME || homedir());
}

/** The format that the extension of `--out` names. Throws KnownError usage (2) where `flag` names another. */
function fileFormat(raw: Raw, flag: NamedFormat | undefined): OutputFormat | undefined {
  const out = text(raw, 'out');
  const extension = /\.([a-z]+)$/i.exec(out ?? '')?.[1]?.toLowerCase() ?? '';
  if (!Object.hasOwn(EXTENSION_FORMATS, extension)) return undefined;
  const format = EXTENSION_FORMATS[extension];
  const isPlain = format === 'table' && flag !== undefined && PLAIN_FORMATS.includes(flag);
  if (flag !== undefined && flag !== format && !isPlain) {
    throw usageError(
      `-o ${flag} conflicts with --out ${out}: .${extension} means ${format}.`,
      `Omit -o, or give the file an extension that fits ${flag}.`,
    );
  }
  return format;
}

function defaultFormat(env: Environment, offered: readonly NamedFormat[], preferred?: string): NamedFormat {
  if (env.CDPADM_OUTPUT) return oneOf(env.CDPADM_OUTPUT, OUTPUT_FORMATS, 'CDPADM_OUTPUT', offered);
  return preferred === 'wide' ? preferred : (offered.find((format) => format === preferred) ?? 'table');
}

/** The format that `-o` or `--json` names. */
function formatFlag(raw: Raw, offered: readonly NamedFormat[]): NamedFormat | undefined {
  if (raw['json'] === true) {
    const other = text(raw, 'output');
    if (other !== undefined && other !== 'json') throw usageError(`--json and -o ${other} contradict each other.`);
    return 'json';
  }
  const flag = text(raw, 'output');
  return flag === undefined ? undefined : oneOf(flag, OUTPUT_FORMATS, '--output', offered);
}

function text(raw: Raw, name: string): string | undefined {
  const value = raw[name];
  if (typeof value !== 'string') return undefined;
  if (value.trim() === '') throw usageError(`${flagName(name)} needs a value.`);
  return value;
}

function profileNames(raw: Raw): string[] {
  const given = (raw['profile'] as string[] | undefined) ?? [];
  return [...new Set(given.map((name) => text({ profile: name }, 'profile') ?? ''))];
}

function id(raw: Raw, name: string): string | undefined {
  const value = text(raw, name);
  if (value !== undefined && !/^\d{1,19}$/.test(value)) {
    throw usageError(`${flagName(name)} takes a number such as 12345, not \`${value}\`.`);
  }
  return value;
}

function duration(raw: Raw, name: string, flag: string): number | undefined {
  const value = text(raw, name);
  if (value === undefined) return undefined;
  const ms = parseDuration(value);
  if (ms === undefined || ms === 0)
    throw usageError(`${flag} takes a duration such as 500ms, 30s, 15m or 8h, not \`${value}\`.`);
  return ms;
}

function retries(raw: Raw): number {
  const value = text(raw, 'retries');
  if (value === undefined) return DEFAULT_RETRIES;
  if (!/^\d{1,2}$/.test(value) || Number(value) > MAX_RETRIES) {
    throw usageError(`--retries takes a whole number from 0 to ${MAX_RETRIES}, not \`${value}\`.`);
  }
  return Number(value);
}

/** `offered` are those of the allowed ones that would do here. */
function oneOf<const T extends string>(value: string, allowed: readonly T[], flag: string, offered = allowed): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  // Letters alone would lead to `csv`.
  const isTabbed = flag === '--output' && value === 'tsv';
  const hint = isTabbed ? 'Leave -o out: a table on a pipe is tab-separated.' : choiceHint(value, offered);
  throw usageError(`${flag} does not know \`${value}\`.`, hint);
}

function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
