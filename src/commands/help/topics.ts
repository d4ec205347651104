// Pages of `cdpadm help TOPIC` and `cdpadm help error CODE`.
import { EXIT, type ErrorEntry } from '../../lib/errors/entry.ts';
import { type ErrorCode, ERRORS } from '../../lib/errors/registry.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { suggest } from '../../lib/kernel/nearest.ts';

const exitCodes = `Exit codes

  0    success; an empty list is not a failure
  1    any other rejection, a failed run, --fail-if-stale, a failed doctor check, a broken hash chain, or a bug
  2    usage: unknown command or flag, missing or malformed argument, or input required without a terminal
  3    partial: a bulk run finished, but some rows failed; the results file lists them
  4    authentication or authorization: 401, 403, or no credentials
  5    not found or gone: 404, 410
  6    conflict or precondition: the platform changed, the plan differs from the expected one, a role is assigned, not idle
  7    rate limited or unavailable after all retries: 429, 500, 502, 503, 504
  8    network: no connection, connection reset, TLS, timeout, or a write whose outcome is unknown
  9    an input file is invalid; issues are listed as file:line:column: path: sentence
  10   a check found something: diff --exit-code, --fail-if-overdue, --fail-if-due, --fail-if-empty, a failed roles test
  11   --timeout was reached
  12   stopped by a guard: deletions, threshold, empty manifest, --fail-on, access: read, protected profile, duplicate
       request, reference not allowed, a bulk file run again without --resume; or you answered no
  129  the terminal was closed
  130  interrupted by Ctrl-C
  143  terminated

Order of checks: input (9), access: read (12), unexpected plan (6), other guards (12), confirmation (2 or 12).

Codes of errors, by exit code

With -o json, an error has one of these codes; \`cdpadm help error CODE\` explains it. Three exceptions: the
exit code of files.read is 2 for a missing file or a folder; that of dsr.listen and emulator.sample_warehouse is 6 if
the port is in use or the file exists; and that of profiles.failed is the highest exit code of its profiles.

`;

/** Returns one line per exit code: ` 4 auth.client_refused, auth.foreign_address, …`. */
function codeLines(): string {
  const codes = Object.entries<ErrorEntry>(ERRORS);
  const lines = Object.entries(EXIT).flatMap(([name, exit]) => {
    const own = codes.filter(([, entry]) => entry.exit === name).map(([code]) => code);
    return own.length === 0 ? [] : [`  ${String(exit).padEnd(5)}${own.sort().join(', ')}\n`];
  });
  return lines.join('');
}

const environment = `Environment variables

An empty variable counts as unset. Every command also works without a profile, with variables alone.

  CDPADM_PROFILE            the profile to use; \`local\` is the embedded platform
  CDPADM_BASE_URL           address of roles, groups and warehouse sync
  CDPADM_AUTH_URL           address of the token service
  CDPADM_AUDIENCE           audience of the token (default: the base address)
  CDPADM_DSR_BASE_URL       address of data subject requests
  CDPADM_SEEDING_URL        address of seeding and event intake
  CDPADM_IDENTITY_URL       address of identity intake
  CDPADM_ORG_ID             organization
  CDPADM_ACCOUNT_ID         account
  CDPADM_WORKSPACE_ID       workspace
  CDPADM_VENDOR_DOMAIN      vendor domain of extension keys
  CDPADM_ENVIRONMENT        development or production
  CDPADM_CLIENT_ID          credentials of the platform
  CDPADM_CLIENT_SECRET
  CDPADM_WORKSPACE_KEY      credentials of the workspace
  CDPADM_WORKSPACE_SECRET
  CDPADM_ACCESS_TOKEN       an access token to use instead of requesting one
  CDPADM_CA_FILE            additional trusted certificate authorities, PEM

  CDPADM_OUTPUT             default for -o; also \`output\` in the project file
  CDPADM_EDITOR             the editor; otherwise VISUAL, EDITOR or vi
  CDPADM_ACCESSIBLE         show questions and progress line by line, without redrawing
  CDPADM_NO_COLOR           no color; also NO_COLOR, TERM=dumb. FORCE_COLOR turns color on
  CDPADM_DEBUG=1            the same as --debug; also RUNNER_DEBUG=1
  CDPADM_TRACE_FILE         default for --trace-file
  CDPADM_RATE_STORE         default for --rate-store in seed bulk; may contain a password
  COLUMNS                   terminal width, if the terminal does not report it
  CI                        never prompt
  GITHUB_ACTIONS=true       annotations; secrets are masked with ::add-mask:: on standard error, except with -o json;
                            results with a line that looks like a workflow command are put in a stop-commands fence

  CDPADM_CONFIG_DIR         paths of the four folders; see \`cdpadm help files\`
  CDPADM_STATE_DIR
  CDPADM_CACHE_DIR
  CDPADM_DATA_DIR

  HTTPS_PROXY, HTTP_PROXY, NO_PROXY   proxy settings
  NODE_DISABLE_COMPILE_CACHE          do not cache compiled code (the default under CI)

Precedence: flag, environment, project file, profile, default. \`cdpadm profile show --origin\` prints each value's source.

CDPADM_PROFILE and the project file select a profile; other variables still override its values. --profile NAME pins
it: only other flags override its values. The environment then provides only secrets that the profile does not define,
and CDPADM_ACCESS_TOKEN is ignored. --profile local is always the embedded platform.
`;

const formatting = `Output

Only the result goes to standard output; prompts, progress, warnings and notes go to standard error.

  -o table      aligned on a terminal; tab-separated, not truncated and without color in a pipe or a file
  -o json       one document with the platform's own field names and exact integers
  -o ndjson     one object per line
  -o yaml       the same data as YAML
  -o csv        RFC 4180; a cell that a spreadsheet would run as a formula gets a leading apostrophe
  -o markdown   for summaries and tickets
  -o name       only the ids, one per line; with --query, the result as is: --query plan -o name
  -o html       for commands whose help lists it

  --query EXPR    JMESPath expression that selects the data to print; integers beyond 2^53 become strings
  --fields a,b    columns of table, csv and markdown, by field or heading, in this order
  --no-header     without the header line
  --out FILE      write to a file, completely or not at all; without -o, its extension sets the format:
                  .json .ndjson .yaml .yml .csv .md .html .txt (table); any other means table

With -o json, an error is one document on standard error; \`cdpadm help exit-codes\` lists the codes:
  {"error":{"code","message","hint","status","request":{"id","method","path"},"issues":[{"path","line","column","message"}],"issues_omitted"}}

With more than one --profile, a table starts with a \`profile\` column, -o name prints the profile before each id, and
JSON is a list of {"profile","data"}, with "error" instead of "data" for a profile that failed.

With -o json, standard error contains only JSON, unless it is a terminal. Notes are omitted. A warning is
  {"warning":{"message"}}
A long operation reports its progress periodically (every step with --progress json, nothing with -q):
  {"progress":{"event":"start"|"progress"|"wait"|"end","title","at","done","total","seconds","text"}}
with additional counts for some commands. A short operation reports nothing.

Color: --color and --no-color, then CDPADM_NO_COLOR, NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM=dumb, and finally
whether the stream is a terminal. Color never carries information on its own.
`;

const files = `Files

  config   profiles, and where their secrets are: CDPADM_CONFIG_DIR, else XDG_CONFIG_HOME/cdpadm
  state    history, journals, locks, rate budget: CDPADM_STATE_DIR, else XDG_STATE_HOME/cdpadm
  cache    tokens, ids for completion, compiled code; may be deleted at any time: CDPADM_CACHE_DIR, else
           XDG_CACHE_HOME/cdpadm
  data     the embedded platform's state: CDPADM_DATA_DIR, else XDG_DATA_HOME/cdpadm

Only you can read them (folders 0700, files 0600).

  .cdpadm.yaml   the project file: a profile and ids, never a secret. The program searches for it from the
                 working directory up to the root of the repository.
  roles.yaml     the default file of \`roles pull\` and \`roles push\`

As a file name, \`-\` means standard input or output. The extension of a file shows whether it is YAML or JSON.
`;

const recipes = `Recipes

Change roles, with a preview of the change:

  $ cdpadm roles pull
  $ cdpadm roles diff
  $ cdpadm roles push --dry-run
  $ cdpadm roles push

In continuous integration: exit with 10 if the platform differs from the file; apply only the reviewed plan:

  $ cdpadm roles diff roles.yaml --exit-code --summary
  $ cdpadm roles diff roles.yaml --save-plan roles.plan
  $ cdpadm roles push --plan roles.plan --yes

\`cdpadm help recipes NAME\` prints a complete workflow file. roles-drift.yml reports differences each morning and shows
the plan in a pull request. roles-push-with-plan.yml applies the plan after its approval. warehouse-drift.yml does the
same for a folder of warehouse definitions. roles-test.yml checks who may do what. dsr-due.yml lists due data subject
requests each morning, and fails if one is late.

Answer questions about access, for a ticket or a script:

  $ cdpadm roles who-can audiences:view -o name
  $ cdpadm roles list --query '[?length(tasks) > \`20\`].role_id'
  $ cdpadm roles matrix -o html --out roles.html

Two platforms side by side:

  $ cdpadm roles list --profile dev --profile prod -o csv

Submit a file of data subject requests: add ids first, so that the submission is safe to repeat; then list the due requests:

  $ cdpadm dsr prepare subjects.csv --regulation gdpr --out ready.csv
  $ cdpadm dsr submit --bulk ready.csv --regulation gdpr --yes
  $ cdpadm dsr list --due

Seeds of any size: check every row, send, and resume after an interruption:

  $ cdpadm seed validate users.ndjson
  $ cdpadm seed bulk users.ndjson --yes
  $ cdpadm seed bulk users.ndjson --yes --resume

A pipeline: run it and wait, exit with 1 if its data is old, diagnose it:

  $ cdpadm pipelines trigger customers --wait --timeout 1h --yes
  $ cdpadm pipelines runs customers --fail-if-stale 24h
  $ cdpadm pipelines doctor customers

The warehouse as a folder of files under version control:

  $ cdpadm warehouse export sync
  $ cdpadm warehouse diff sync --exit-code
  $ cdpadm warehouse apply sync --yes

Show a call without sending it:

  $ cdpadm roles list --curl
`;

/** Each page ends with a newline. */
export const topics: Readonly<Record<string, string>> = {
  get 'exit-codes'() {
    return exitCodes + codeLines();
  },
  environment,
  formatting,
  files,
  recipes,
};

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** Workflow files that `help recipes` lists. */
export const RECIPES: readonly string[] = recipes.match(/(?<![\w-])[\w-]+\.yml/g) ?? [];

/** Returns the help page for an error code. Throws KnownError usage (2) if the code does not exist. */
export function errorPage(code: string | undefined): string {
  if (code !== undefined && Object.hasOwn(ERRORS, code)) {
    const { exit, explanation, fix, summary }: ErrorEntry = ERRORS[code as ErrorCode];
    return `${code}\n\n${summary} ${explanation}\n\n${fix}\n\nExit code: ${EXIT[exit]}\n`;
  }
  const hint = { text: suggest(code ?? '', ERROR_CODES, 'To list all:'), command: 'cdpadm help exit-codes' };
  throw usageError(code === undefined ? 'Missing error code.' : `Unknown error code \`${code}\`.`, hint);
}
