// Simulates a bulk run on many machines: `node bench/seed-scale.mjs [--users N --machines N --limit N --latency MS …]`.
// Each machine sends its share over its connections. The platform accepts `limit` requests per second and rejects the
// others with 429. Now and then, a machine is killed; after its restart, it repeats half a second's worth of requests.
// With `--uneven`, each machine has half as many rows as the previous one. With `--shared`, machines that have finished
// or are down leave their part of the rate to the others.
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000000000' },
    batch: { type: 'string', default: '100' },
    machines: { type: 'string', default: '16' },
    connections: { type: 'string', default: '64' },
    limit: { type: 'string', default: '2000' },
    latency: { type: 'string', default: '500' },
    'kills-per-hour': { type: 'string', default: '1' },
    uneven: { type: 'boolean', default: false },
    shared: { type: 'boolean', default: false },
  },
});
const { shared, uneven, ...texts } = values;
const numbers = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)]));
const { users = 0, batch = 0, machines = 0, connections = 0, limit = 0, latency = 0 } = numbers;
const killsAnHour = numbers['kills-per-hour'] ?? 0;
const CHECKPOINT_SECONDS = 0.5;
const RESTART_SECONDS = 10;

/** Fraction of the rows that each machine sends. */
const parts = Array.from({ length: machines }, (_, machine) =>
  uneven ? 0.5 ** Math.min(machine + 1, machines - 1) : 1 / machines,
);
/** Requests that each machine still has to send. */
const left = parts.map((part) => Math.ceil((users / batch) * part));
const downUntil = left.map(() => 0);
/** Requests per second that one machine can send, limited by its connections and its share of the rate. */
const capacityOf = (/** @type {number} */ sharers) => Math.min((connections * 1000) / latency, limit / sharers);

let seconds = 0;
let sent = 0;
let repeated = 0;
let kills = 0;
let random = 1;
while (left.some((requests) => requests > 0)) {
  const active = left.filter((requests, machine) => requests > 0 && seconds >= (downUntil[machine] ?? 0));
  const capacity = capacityOf(shared ? Math.max(1, active.length) : machines);
  for (const [machine, requests] of left.entries()) {
    if (requests <= 0 || seconds < (downUntil[machine] ?? 0)) continue;
    const now = Math.min(requests, capacity);
    sent += now;
    left[machine] = requests - now;
    random = (random * 48_271) % 2_147_483_647;
    if (random / 2_147_483_647 >= killsAnHour / 3600) continue;
    kills += 1;
    const lost = Math.min(capacity * CHECKPOINT_SECONDS, capacity);
    repeated += lost;
    left[machine] += lost;
    downUntil[machine] = seconds + RESTART_SECONDS;
  }
  seconds += 1;
}
const ideal = users / batch / limit;
process.stdout.write(
  [
    `${(seconds / 3600).toFixed(2)} hours for ${users.toLocaleString('en')} users on ${machines} machines`,
    `${Math.round(users / seconds).toLocaleString('en')} users/s; the minimum at this limit is ${(ideal / 3600).toFixed(2)} hours`,
    `${kills} kills; ${Math.round(repeated).toLocaleString('en')} of ${Math.round(sent).toLocaleString('en')} requests sent again (${((repeated / sent) * 100).toFixed(3)}%)`,
    '',
  ].join('\n'),
);
