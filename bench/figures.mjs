// What the figures have to be: `must` is a promise, `goal` is what is worth striving for.

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {string} unit `×` is the ratio to the floor: Node running an empty file, in the same rounds.
 * @property {number} [must] at most
 * @property {number} [goal] at most
 */

const figures = {
  version: { name: '`cdpadm --version`', unit: '×', must: 1.6, goal: 1.15 },
  help: { name: '`cdpadm --help`', unit: '×', must: 1.8, goal: 1.4 },
  groupHelp: { name: '`cdpadm roles --help`', unit: '×', must: 1.8, goal: 1.4 },
  commandHelp: { name: '`cdpadm roles push --help`', unit: '×', must: 1.8, goal: 1.4 },
  get: { name: '`cdpadm roles list`: one GET with a cached token', unit: '×', must: 4, goal: 2.5 },
  diff: { name: '`cdpadm roles diff` of 100 roles × 40 tasks in YAML', unit: '×', must: 8, goal: 5 },
  getMemory: { name: 'peak memory of that GET', unit: '×', must: 1.6, goal: 1.2 },
  installed: { name: 'installed: the package and what it depends on', unit: 'MB', must: 45 },
  bundle: { name: 'the program’s own code, all but the embedded platform', unit: 'MB', goal: 1 },
};

/** @typedef {keyof typeof figures} FigureId */

/** @type {Record<FigureId, Figure>} */
export const FIGURES = figures;

/**
 * @param {FigureId} id
 * @param {number} value
 * @returns {'reaches the goal' | 'holds' | 'short of the goal' | 'MISSED'}
 */
export function verdict(id, value) {
  const { must = Infinity, goal = Infinity } = FIGURES[id];
  if (value > must) return 'MISSED';
  if (value > goal) return 'short of the goal';
  return goal === Infinity ? 'holds' : 'reaches the goal';
}
