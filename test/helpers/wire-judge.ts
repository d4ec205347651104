// Checks every exchange of the embedded platforms in this process and in programs that a test starts. `judge-setup.ts`
// fails a test file if there are violations that no test has read.
import { subscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SEEN_EXCHANGES, type SeenExchange } from '../../src/lib/emulator/platform/exchange.ts';

/** The findings about one platform. */
export interface Judged {
  count: number;
  /** The violations of the OpenAPI document. */
  violations: string[];
}

/** Maximum number of violations to print. */
const MOST_SHOWN = 50;
const REPORTER = fileURLToPath(new URL('children/tell-exchanges.cjs', import.meta.url));

const counts = new Map<string, number>();
const found = new Map<string, Set<string>>();
/** Exchanges recorded before the judge was loaded. Loading takes a while, and few test files use a platform. */
const waiting: SeenExchange[] = [];
let violationsOf: ((seen: SeenExchange, hasOwnWords: boolean) => string[]) | undefined;
let loading: Promise<void> | undefined;
let folder: string | undefined;

/** Loads the judge. Until it is loaded, exchanges are queued. */
export function loadJudge(): Promise<void> {
  loading ??= import('./conformance.ts').then(({ openConformance }) => {
    violationsOf = openConformance().violations;
    for (const seen of waiting.splice(0)) check(seen);
  });
  return loading;
}

function check(message: unknown): void {
  const seen = message as SeenExchange;
  if (!violationsOf) {
    waiting.push(seen);
    void loadJudge();
    return;
  }
  counts.set(seen.platform, (counts.get(seen.platform) ?? 0) + 1);
  for (const violation of violationsOf(seen, seen.hasOwnWords)) {
    const known = found.get(seen.platform) ?? new Set();
    found.set(seen.platform, known.add(violation));
  }
}

/** Returns and clears the findings about a platform in this process or in a started program. */
export async function judgedOf(platform: string): Promise<Judged> {
  await checkPrograms();
  const judged = { count: counts.get(platform) ?? 0, violations: [...(found.get(platform) ?? [])] };
  counts.delete(platform);
  found.delete(platform);
  return judged;
}

/** Returns the addresses of checked platforms whose findings have not been read. */
export async function judgedPlatforms(): Promise<string[]> {
  await checkPrograms();
  return [...counts.keys()];
}

/** Throws if there are violations of the OpenAPI document. */
export function requireConformance(violations: readonly string[]): void {
  if (violations.length === 0) return;
  throw new Error(`the wire is not as the OpenAPI document says:\n${violations.slice(0, MOST_SHOWN).join('\n')}`);
}

/** Returns environment variables that make a program and its children report their platforms' exchanges. */
export function reportingEnv(): Record<'NODE_OPTIONS' | 'TEST_EXCHANGES', string> {
  folder ??= mkdtempSync(join(tmpdir(), 'cdpadm-exchanges-'));
  return { NODE_OPTIONS: `--require=${JSON.stringify(REPORTER)}`, TEST_EXCHANGES: folder };
}

/** Checks the exchanges that programs reported. */
async function checkPrograms(): Promise<void> {
  if (folder !== undefined) {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      // A killed program may have left an incomplete last line.
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      for (const line of lines) {
        const exchange = JSON.parse(line) as Omit<SeenExchange, 'body'> & { body: string };
        check({ ...exchange, body: Buffer.from(exchange.body, 'base64') });
      }
      rmSync(path);
    }
  }
  if (waiting.length > 0) await loadJudge();
}

/** Ends the checks of one test file and returns the violations that no test has read. */
export async function remainingViolations(): Promise<string[]> {
  await checkPrograms();
  const violations = [...found.values()].flatMap((each) => [...each]);
  for (const known of [counts, found]) known.clear();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
  return violations;
}

subscribe(SEEN_EXCHANGES, check);
