// The pages of `cdpadm help TOPIC` and `cdpadm help error CODE`.
import type { ErrorEntry } from '../../lib/errors/entry.ts';
import { type ErrorCode, ERRORS } from '../../lib/errors/registry.ts';
import { EXIT } from '../../lib/runtime/exit-codes.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { nearest } from '../../lib/kernel/nearest.ts';

const exitCodes = `Exit codes

  0    done; an empty list is no failure
  1    the platform refused for another reason, a run failed, --fail-if-stale, a failing doctor line, or a bug
  2    usage: an unknown command or flag, a missing or malformed argument, a question that cannot be asked here
  3    partial: a bulk run finished and some rows failed; they are in the result file
  4    authentication or authorisation: 401, 403, or no credentials
  5    not found or gone: 404, 410
  6    conflict or precondition: the remote side changed, another plan than expected, a role is assigned, not idle
  7    rate limited or unavailable after every retry: 429, 500, 502, 503, 504
  8    network: refused, reset, TLS, time-out, or an outcome that stays unknown after a lost answer
  9    an input file is invalid; every issue is listed as file:line:column: path: sentence
  10   differences were found; only with diff --exit-code
  11   a wait reached its --timeout
  12   blocked by a guard: deletions, threshold, emptied manifest, --fail-on, access: read, protected profile,
       reference not allowed; or you declined
  129  the terminal was closed
  130  interrupted by Ctrl-C
  143  terminated

Order of checks: input (9), access: read (12), unexpected plan (6), other guards (12), confirmation (2 or 12).

Codes of errors, by exit code

Under -o json an error says with its code which of these it is; \`cdpadm help error CODE\` explains each. files.read is 2 where
there is no such file; dsr.listen and emulator.sample_warehouse are 6 where the port or the file is taken; profiles.failed,
for several profiles, has the highest exit code among them.

`;

/** `  4    auth.client_refused, auth.foreign_address, …`, a line for each exit code. */
function codeLines(): string {
  const codes = Object.entries<ErrorEntry>(ERRORS);
  const lines = Object.entries(EXIT).flatMap(([name, exit]) => {
    const own = codes.filter(([, entry]) => entry.exit === name).map(([code]) => code);
    return own.length === 0 ? [] : [`  ${String(exit).padEnd(5)}${own.sort().join(', ')}\n`];
  });
  return lines.join('');
}

const environment = `Environment variables

An empty variable counts as unset. With these alone, and no profile, every command works.

  CDPADM_PROFILE            the profile to use; \`local\` is the embedded platform
  CDPADM_BASE_URL           address of roles, groups and warehouse sync
  CDPADM_AUTH_URL           address of the token call
  CDPADM_AUDIENCE           audience of the token; default is the base address
  CDPADM_DSR_BASE_URL       address of data subject requests
  CDPADM_SEEDING_URL        address of seeding
  CDPADM_IDENTITY_URL       address of intake
  CDPADM_ORG_ID             organization
  CDPADM_ACCOUNT_ID         account
  CDPADM_WORKSPACE_ID       workspace
  CDPADM_VENDOR_DOMAIN      vendor domain of extension keys
  CDPADM_ENVIRONMENT        development or production
  CDPADM_CLIENT_ID          credentials of the platform
  CDPADM_CLIENT_SECRET
  CDPADM_WORKSPACE_KEY      credentials of the workspace
  CDPADM_WORKSPACE_SECRET
  CDPADM_ACCESS_TOKEN       a ready token, used as it is
  CDPADM_CA_FILE            further trusted certificate authorities, PEM

  CDPADM_OUTPUT             default of -o, also \`output\` in the project file
  CDPADM_EDITOR             the editor; else VISUAL, EDITOR, vi
  CDPADM_ACCESSIBLE         questions and progress line by line, without redrawing
  CDPADM_NO_COLOR           no colour; also NO_COLOR, TERM=dumb. FORCE_COLOR asks for it
  CDPADM_DEBUG=1            the same as --debug; also RUNNER_DEBUG=1
  CDPADM_TRACE_FILE         default of --trace-file
  COLUMNS                   width where the terminal does not tell it
  CI                        never ask
  GITHUB_ACTIONS=true       annotations; secrets that were read are masked with ::add-mask:: on standard error, except
                            under -o json; a result with a line like a workflow command gets a stop-commands fence

  CDPADM_CONFIG_DIR         where the four folders are: see \`cdpadm help files\`
  CDPADM_STATE_DIR
  CDPADM_CACHE_DIR
  CDPADM_DATA_DIR

  HTTPS_PROXY, HTTP_PROXY, NO_PROXY   the usual ones
  NODE_DISABLE_COMPILE_CACHE          keep no compiled code; under CI none is kept either

Precedence: flag, environment, project file, profile, default. \`cdpadm profile show --origin\` prints each value's source.

CDPADM_PROFILE and the project file select a profile; other variables still override its values. --profile NAME pins
it: only other flags override its values. The environment then gives only secrets that the profile has no place for,
and CDPADM_ACCESS_TOKEN is ignored. --profile local is always the embedded platform.
`;

const formatting = `Output

Only the result goes to standard output; questions, progress, warnings and what was done go to standard error.

  -o table      aligned on a terminal; tab-separated, whole and without colour in a pipe or a file
  -o json       one document in the platform's own field names, integers exact
  -o ndjson     one object a line
  -o yaml       the same data as YAML
  -o csv        RFC 4180; a cell that a spreadsheet would run as a formula gets a leading apostrophe
  -o markdown   for summaries and tickets
  -o name       only the ids, one a line; with --query what it finds, as it is: --query plan -o name
  -o html       where a command says so

  --query EXPR    JMESPath over the data before it is drawn; integers beyond 2^53 are strings in it
  --fields a,b    columns of table, csv and markdown, in this order
  --no-header     without the heading line
  --out FILE      into a file, whole or not at all; without -o its extension sets the format:
                  .json .ndjson .yaml .yml .csv .md .html .txt (table); any other means table

Under -o json an error is one document on standard error; \`cdpadm help exit-codes\` lists what \`code\` can be:
  {"error":{"code","message","hint","status","request":{"id","method","path"},"issues":[{"path","line","column","message"}],"issues_omitted"}}

With --profile given several times, a table begins with a column \`profile\`, -o name prints the profile before each id, and
JSON is a list of {"profile","data"}, with "error" in place of "data" where a profile failed.

Under -o json, where standard error is no terminal, nothing but JSON is there: notes are left out, a warning is
  {"warning":{"message"}}
and what goes on for long tells now and then how far it is (each step of it with --progress json, nothing with -q):
  {"progress":{"event":"start"|"progress"|"wait"|"end","title","at","done","total","seconds","text"}}
with further counts of the command's own. An operation that is over at once tells nothing.

Colour: --color and --no-color, then CDPADM_NO_COLOR, NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM=dumb, and at last
whether the stream is a terminal. Words carry every meaning; colour only repeats it.
`;

const files = `Files

  config   profiles and where their secrets are: CDPADM_CONFIG_DIR, else XDG_CONFIG_HOME/cdpadm
  state    history, journals, locks, rate budget: CDPADM_STATE_DIR, else XDG_STATE_HOME/cdpadm
  cache    tokens, ids for completion, compiled code; may be thrown away at any time: CDPADM_CACHE_DIR, else
           XDG_CACHE_HOME/cdpadm
  data     the embedded platform's state: CDPADM_DATA_DIR, else XDG_DATA_HOME/cdpadm

All of them are readable by you alone (folders 0700, files 0600).

  .cdpadm.yaml   the project file: names a profile and ids, never a secret. It is looked for from the working folder
                 upward to the repository's root.
  roles.yaml     what \`roles pull\` writes and \`roles push\` reads when no file is named

\`-\` as a file is standard input. Files are YAML or JSON, by their extension.
`;

const recipes = `Recipes

Change roles, and see the change before it is made:

  $ cdpadm roles pull
  $ cdpadm roles diff
  $ cdpadm roles push --dry-run
  $ cdpadm roles push

In continuous integration: end with 10 when the platform differs from the file; apply the plan that was reviewed, no other:

  $ cdpadm roles diff roles.yaml --exit-code --summary
  $ cdpadm roles diff roles.yaml --query plan -o name --out plan.txt
  $ cdpadm roles push roles.yaml --yes --expect-plan "$(cat plan.txt)"

The same as whole workflow files, in the folder of the installed package: docs/recipes/roles-drift.yml tells each morning what
differs and shows in a pull request what it would do; docs/recipes/roles-push-with-plan.yml applies the plan once approved.
docs/recipes/dsr-due.yml lists each morning the data subject requests that are due, and fails when one is late.

Ask about access, for a ticket or a script:

  $ cdpadm roles who-can audiences:view -o name
  $ cdpadm roles list --query '[?length(tasks) > \`20\`].role_id'
  $ cdpadm roles matrix -o html --out roles.html

Two platforms side by side:

  $ cdpadm roles list --profile dev --profile prod -o csv

A file of data subject requests: ids written in first, so that sending it can be repeated; then what is due:

  $ cdpadm dsr prepare subjects.csv --regulation gdpr --out ready.csv
  $ cdpadm dsr submit --bulk ready.csv --regulation gdpr --yes
  $ cdpadm dsr list --due

Seeds of any size: check every row, send, go on where it was interrupted:

  $ cdpadm seed validate users.ndjson
  $ cdpadm seed bulk users.ndjson --yes
  $ cdpadm seed bulk users.ndjson --yes --resume

A pipeline: run it and wait, end with 1 when its data is old, find out why:

  $ cdpadm pipelines trigger customers --wait --timeout 1h --yes
  $ cdpadm pipelines runs customers --fail-if-stale 24h
  $ cdpadm pipelines doctor customers

The warehouse as a folder of files under version control:

  $ cdpadm warehouse export sync
  $ cdpadm warehouse diff sync --exit-code
  $ cdpadm warehouse apply sync --yes

See a call without making it:

  $ cdpadm roles list --curl
`;

/** Topic -> page, ending in a line feed. */
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

/** Throws KnownError usage (2) for a code that does not exist. */
export function errorPage(code: string | undefined): string {
  const entry = code === undefined ? undefined : (ERRORS as Readonly<Record<string, ErrorEntry>>)[code];
  if (code !== undefined && entry) {
    const { exit, explanation, fix, summary } = entry;
    return `${code}\n\n${summary} ${explanation}\n\n${fix}\n\nExit code: ${EXIT[exit]}\n`;
  }
  const guess = code === undefined ? undefined : nearest(code, ERROR_CODES);
  throw usageError(code === undefined ? 'Which error is missing.' : `There is no error \`${code}\`.`, {
    text: `${guess === undefined ? '' : `Did you mean \`${guess}\`? `}To list all:`,
    command: 'cdpadm help exit-codes',
  });
}
