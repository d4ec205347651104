// Limits for the measured figures: `must` is guaranteed, and `goal` is stricter.

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {string} unit `×` is a ratio; for startup, relative to Node running an empty file in the same rounds
 * @property {number} [must]
 * @property {number} [goal]
 * @property {'most' | 'least'} [bound] whether `must` and `goal` are maximums (default) or minimums
 * @property {number} [digits] number of digits after the decimal point (default 2)
 */

/**
 * @typedef {object} Result
 * @property {FigureId} id
 * @property {number | undefined} value undefined if it could not be measured; then `plain` is the reason
 * @property {string} plain the raw figures
 */

/**
 * @typedef {object} Section
 * @property {string} title
 * @property {string} method how it was measured: sizes and rounds
 * @property {Result[]} results
 */

const figures = {
  version: { name: '`cdpadm --version`', unit: '×', must: 1.6, goal: 1.15 },
  help: { name: '`cdpadm --help`', unit: '×', must: 1.8, goal: 1.4 },
  groupHelp: { name: '`cdpadm roles --help`', unit: '×', must: 1.8, goal: 1.4 },
  commandHelp: { name: '`cdpadm roles push --help`', unit: '×', must: 1.8, goal: 1.4 },
  completion: { name: 'tab completion of the slowest group', unit: '×', must: 1.6, goal: 1.4 },
  get: { name: '`cdpadm roles list`: one GET with a cached token', unit: '×', must: 4, goal: 2.5 },
  diff: { name: '`cdpadm roles diff` of 100 roles × 40 tasks in YAML', unit: '×', must: 8, goal: 5 },
  getMemory: { name: 'peak memory of `cdpadm roles list`', unit: '×', must: 1.6, goal: 1.2 },
  installed: { name: 'installed size, with dependencies', unit: 'MB', must: 45 },
  bundle: { name: 'size of our own code, without the embedded platform', unit: 'MB', goal: 1 },
  seedXargs: {
    name: '`seed bulk` compared with split, xargs -P16 and curl',
    unit: '×',
    bound: 'least',
    must: 20,
    goal: 32,
    digits: 1,
  },
  seedPlain: {
    name: '`seed bulk` compared with a plain Node script',
    unit: '×',
    bound: 'least',
    must: 3,
    goal: 6,
    digits: 1,
  },
  seedWrk: {
    name: '`seed bulk` compared with wrk and one fixed body',
    unit: '×',
    bound: 'least',
    must: 0.3,
    goal: 0.55,
    digits: 3,
  },
  seedCsv: {
    name: '`seed bulk` of CSV compared with csv-parse, zod and stringify',
    unit: '×',
    bound: 'least',
    must: 2.5,
    goal: 6,
    digits: 1,
  },
  seedMemory: {
    name: 'peak memory of `seed bulk` with five million users',
    unit: 'MB',
    must: 180,
    goal: 120,
    digits: 0,
  },
  seedMemoryGrowth: {
    name: 'peak with five million users compared with one million',
    unit: '×',
    must: 1.1,
    goal: 1.05,
    // The result is close to the goal.
    digits: 3,
  },
  dsrXargs: {
    name: '`dsr submit --bulk` with its journal, compared with xargs -P16 curl',
    unit: '×',
    bound: 'least',
    must: 3,
    goal: 15,
    digits: 1,
  },
  emulatorRate: {
    name: 'embedded platform compared with a bare server',
    unit: '×',
    bound: 'least',
    must: 0.25,
    goal: 0.5,
  },
  emulatorReady: {
    name: 'time from the start of the embedded platform to its ready line',
    unit: 'ms',
    must: 400,
    goal: 150,
    digits: 0,
  },
  emulatorYear: { name: 'time to advance the clock by a year, with 10,000 people and a group', unit: 's', must: 3 },
  emulatorControl: { name: 'slowest control request while the clock advances', unit: 'ms', must: 100, digits: 0 },
  emulatorSnapshot: { name: '`snapshot()` and `restore()` with the samples', unit: 'ms', goal: 50, digits: 0 },
  emulatorSnapshotFull: { name: '`snapshot()` and `restore()` with 10,000 people', unit: 'ms', goal: 500, digits: 0 },
  limitKnown: { name: '`seed bulk` at a configured rate limit', unit: '×', must: 1.05 },
  limitFound: { name: '`seed bulk` at an unknown rate limit', unit: '×', goal: 1.05 },
  stopRead: { name: 'Ctrl-C during a read', unit: 'ms', must: 1000, digits: 0 },
  stopWrite: { name: 'Ctrl-C during a write', unit: 'ms', must: 1000, digits: 0 },
  stopBulk: { name: 'Ctrl-C during a bulk run', unit: 'ms', must: 1000, digits: 0 },
  hang: { name: 'exit after the timeout if there is no response', unit: 'ms', must: 2000, digits: 0 },
  callbackChecks: {
    name: 'the four checks of a callback with a cached certificate (99th percentile)',
    unit: 'ms',
    must: 5,
  },
};

/** @typedef {keyof typeof figures} FigureId */

/** @type {Record<FigureId, Figure>} */
export const FIGURES = /** @type {Record<FigureId, Figure>} */ (figures);

/**
 * @param {Result} result
 * @returns {'goal reached' | 'met' | 'goal missed' | 'MISSED' | 'not measured'}
 */
export function verdict({ id, value }) {
  if (value === undefined) return 'not measured';
  const { must, goal, bound } = FIGURES[id];
  const meets = (/** @type {number | undefined} */ limit) =>
    limit === undefined || (bound === 'least' ? value >= limit : value <= limit);
  if (!meets(must)) return 'MISSED';
  if (!meets(goal)) return 'goal missed';
  return goal === undefined ? 'met' : 'goal reached';
}

/** Returns a Markdown table with its heading. @param {Section} section */
export function describeSection({ title, method, results }) {
  const rows = results.map((result) => {
    const { name, unit, must, goal, bound, digits = 2 } = FIGURES[result.id];
    const sign = bound === 'least' ? '≥' : '≤';
    const limit = (/** @type {number | undefined} */ value) => (value === undefined ? '' : `${sign} ${value}`);
    const measured = result.value === undefined ? '–' : `${result.value.toFixed(digits)} ${unit}`;
    return `| ${[name, measured, result.plain, limit(must), limit(goal), verdict(result)].join(' | ')} |`;
  });
  return [
    `## ${title}`,
    '',
    method,
    '',
    '| Metric | Result | Raw figures | Guarantee | Goal | |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
