// Judges every exchange of every embedded platform that a test has to do with: those of this process, and of programs that
// it starts. `judge-setup.ts` fails a test file by what no test has read.
import { subscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SEEN_EXCHANGES, type SeenExchange } from '../../src/lib/emulator/wire/seen-exchange.ts';

/** The findings about one platform. */
export interface Judged {
  /** How many exchanges were judged. */
  count: number;
  /** The violations of the OpenAPI document. */
  violations: string[];
}

/** The rest is more of the same. */
const MOST_TOLD = 50;
const TELL = fileURLToPath(new URL('children/tell-exchanges.cjs', import.meta.url));

const counts = new Map<string, number>();
const found = new Map<string, Set<string>>();
/** Those that came before the judge was there: loading it takes a moment, and few test files have a platform. */
const waiting: SeenExchange[] = [];
let violationsOf: ((seen: SeenExchange, hasOwnWords: boolean) => string[]) | undefined;
let loading: Promise<void> | undefined;
let folder: string | undefined;

/** Loads the judge; without it what comes is kept. */
export function loadJudge(): Promise<void> {
  loading ??= import('./conformance.ts').then(({ openConformance }) => {
    violationsOf = openConformance().violations;
    for (const seen of waiting.splice(0)) hear(seen);
  });
  return loading;
}

function hear(message: unknown): void {
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

/** What was judged of a platform so far, of this process or of one that was started; it is not told at the end again. */
export async function judgedOf(platform: string): Promise<Judged> {
  await hearPrograms();
  const judged = { count: counts.get(platform) ?? 0, violations: [...(found.get(platform) ?? [])] };
  counts.delete(platform);
  found.delete(platform);
  return judged;
}

/** The addresses of platforms that were judged and not asked for. */
export async function judgedPlatforms(): Promise<string[]> {
  await hearPrograms();
  return [...counts.keys()];
}

/** Throws unless all was as the document says. */
export function requireConformance(violations: readonly string[]): void {
  if (violations.length === 0) return;
  throw new Error(`the wire is not as the OpenAPI document says:\n${violations.slice(0, MOST_TOLD).join('\n')}`);
}

/** The environment by which a program that a test starts, and what that starts, tells of its platforms' exchanges. */
export function tellingEnv(): Record<'NODE_OPTIONS' | 'TEST_EXCHANGES', string> {
  folder ??= mkdtempSync(join(tmpdir(), 'cdpadm-exchanges-'));
  return { NODE_OPTIONS: `--require=${JSON.stringify(TELL)}`, TEST_EXCHANGES: folder };
}

/** Judges what programs have told, once. */
async function hearPrograms(): Promise<void> {
  if (folder !== undefined) {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      // One that was killed may not have come to the end of its last line.
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      for (const line of lines) {
        const told = JSON.parse(line) as Omit<SeenExchange, 'body'> & { body: string };
        hear({ ...told, body: Buffer.from(told.body, 'base64') });
      }
      rmSync(path);
    }
  }
  if (waiting.length > 0) await loadJudge();
}

/** Ends the judging of one test file: what was found and no test has read. */
export async function remainingViolations(): Promise<string[]> {
  await hearPrograms();
  const violations = [...found.values()].flatMap((each) => [...each]);
  for (const known of [counts, found]) known.clear();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
  return violations;
}

subscribe(SEEN_EXCHANGES, hear);
