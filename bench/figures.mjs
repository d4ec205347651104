// What the figures have to be: `must` is a promise, `goal` is what is worth striving for.

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {string} unit `×` of a start is the ratio to the floor: Node running an empty file, in the same rounds.
 * @property {number} [must]
 * @property {number} [goal]
 * @property {'most' | 'least'} [bound] whether the value may be that at most (which is the rule) or has to be that at least
 * @property {number} [digits] behind the point (default 2)
 */

/**
 * @typedef {object} Result
 * @property {FigureId} id
 * @property {number | undefined} value undefined when it could not be measured here; `plain` says why
 * @property {string} plain what was measured, in plain figures
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
  completion: { name: 'completion, of the group where it takes longest', unit: '×', must: 1.6, goal: 1.4 },
  get: { name: '`cdpadm roles list`: one GET with a cached token', unit: '×', must: 4, goal: 2.5 },
  diff: { name: '`cdpadm roles diff` of 100 roles × 40 tasks in YAML', unit: '×', must: 8, goal: 5 },
  getMemory: { name: 'peak memory of that GET', unit: '×', must: 1.6, goal: 1.2 },
  installed: { name: 'installed: the package and what it depends on', unit: 'MB', must: 45 },
  bundle: { name: 'the program’s own code, all but the embedded platform', unit: 'MB', goal: 1 },
  seedXargs: {
    name: 'seed bulk against split, xargs -P16, curl',
    unit: '×',
    bound: 'least',
    must: 10,
    goal: 25,
    digits: 1,
  },
  seedPlain: { name: 'against a plain Node script', unit: '×', bound: 'least', must: 3, goal: 6, digits: 1 },
  seedWrk: {
    name: 'against wrk sending one fixed body',
    unit: '×',
    bound: 'least',
    must: 0.035,
    goal: 0.08,
    digits: 3,
  },
  seedCsv: { name: 'CSV against csv-parse, zod, stringify', unit: '×', bound: 'least', must: 2.5, goal: 4, digits: 1 },
  seedMemory: { name: 'peak memory, five times the users', unit: 'MB', must: 180, goal: 120, digits: 0 },
  seedMemoryGrowth: { name: 'the same, of the peak with all users once', unit: '×', must: 1.1, goal: 1.05 },
  dsrXargs: {
    name: 'DSR bulk with its journal against xargs -P16 curl without',
    unit: '×',
    bound: 'least',
    must: 3,
    goal: 8,
    digits: 1,
  },
  emulatorRate: {
    name: 'embedded platform against a bare server of its library',
    unit: '×',
    bound: 'least',
    must: 0.25,
    goal: 0.5,
  },
  emulatorReady: { name: 'its ready line after', unit: 'ms', must: 400, goal: 150, digits: 0 },
  emulatorYear: { name: 'a year of its clock, 10,000 people and a group', unit: 's', must: 3 },
  emulatorControl: { name: 'its slowest control request meanwhile', unit: 'ms', must: 100, digits: 0 },
  limitTold: { name: 'seed bulk at a limit it knows', unit: '×', must: 1.05 },
  limitFound: { name: 'seed bulk at a limit it has to find', unit: '×', goal: 1.05 },
  stopRead: { name: 'Ctrl-C in a read that waits', unit: 'ms', must: 1000, digits: 0 },
  stopWrite: { name: 'Ctrl-C in a write that waits', unit: 'ms', must: 1000, digits: 0 },
  stopBulk: { name: 'Ctrl-C in a bulk run that waits', unit: 'ms', must: 1000, digits: 0 },
  hang: { name: 'a hanging answer, beyond the time limit', unit: 'ms', must: 2000, digits: 0 },
  callbackChecks: { name: 'the four checks of a callback, certificate kept, 99 %', unit: 'ms', must: 5 },
};

/** @typedef {keyof typeof figures} FigureId */

/** @type {Record<FigureId, Figure>} */
export const FIGURES = /** @type {Record<FigureId, Figure>} */ (figures);

/**
 * @param {Result} result
 * @returns {'reaches the goal' | 'holds' | 'short of the goal' | 'MISSED' | 'not measured'}
 */
export function verdict({ id, value }) {
  if (value === undefined) return 'not measured';
  const { must, goal, bound } = FIGURES[id];
  const meets = (/** @type {number | undefined} */ limit) =>
    limit === undefined || (bound === 'least' ? value >= limit : value <= limit);
  if (!meets(must)) return 'MISSED';
  if (!meets(goal)) return 'short of the goal';
  return goal === undefined ? 'holds' : 'reaches the goal';
}

/** @param {Section} section a table of Markdown with its heading */
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
    '| What | Measured | in plain figures | Must | Goal | |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
