// A simple script to compare `seed bulk` with. It uses `readline`, zod and undici, and csv-parse for CSV. Usage: node
// bench/seed-plain.mjs ndjson|csv FILE URL.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { Pool } from 'undici';
// eslint-disable-next-line no-restricted-imports -- a simple script ignores start time
import { z } from 'zod';

const [format, file = '', address = ''] = process.argv.slice(2);
const BATCH = 100;
const CONNECTIONS = 16;

const attribute = z.object({
  attribute_name: z.string().min(1),
  calculation_type: z.string(),
  cutoff_date: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  seed: z.object({
    value: z.union([z.string(), z.number()]).optional(),
    key_value_pairs: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    list: z.array(z.string()).optional(),
  }),
});
const user = z.object({
  environment: z.enum(['production', 'development']),
  xpid: z.union([z.number(), z.string()]).optional(),
  identities: z.record(z.string(), z.string()).optional(),
  calculated_attributes: z.record(z.string(), z.array(attribute)),
});

const pool = new Pool(address, { connections: CONNECTIONS });
/** @type {Set<Promise<void>>} */
const inFlight = new Set();

/** @param {string[]} rows */
async function send(rows) {
  const { statusCode, body } = await pool.request({
    path: '/v2/bulkcalculatedattributes',
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Basic azpz' },
    body: `[${rows.join(',')}]`,
  });
  await body.dump();
  if (statusCode !== 202) throw new Error(`unexpected status ${statusCode}`);
}

async function* ndjsonRows() {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    user.parse(JSON.parse(line));
    yield line;
  }
}

async function* csvRows() {
  const records = createReadStream(file).pipe(parse({ columns: true }));
  for await (const row of /** @type {AsyncIterable<Record<string, string>>} */ (records)) {
    const seed = (/** @type {string} */ name, /** @type {string} */ type, /** @type {object} */ form) => ({
      attribute_name: name,
      calculation_type: type,
      cutoff_date: row.cutoff_date,
      seed: form,
    });
    const body = {
      environment: 'production',
      xpid: row.xpid,
      identities: { customer_id: row['identity:customer_id'] },
      calculated_attributes: {
        5001: [
          seed('Lifetime Value', 'sum', { value: row['attr:Lifetime Value:sum'] }),
          seed('Average Order', 'average', {
            key_value_pairs: {
              sum: row['attr:Average Order:average:sum'],
              count: row['attr:Average Order:average:count'],
            },
          }),
          seed('Favorites', 'unique_list', { list: row['attr:Favorites:unique_list']?.split('|') }),
        ],
      },
    };
    yield JSON.stringify(user.parse(body));
  }
}

/** @type {string[]} */
let rows = [];
async function flush() {
  if (rows.length === 0) return;
  const sending = send(rows).finally(() => inFlight.delete(sending));
  rows = [];
  inFlight.add(sending);
  if (inFlight.size >= CONNECTIONS) await Promise.race(inFlight);
}
for await (const row of format === 'csv' ? csvRows() : ndjsonRows()) {
  rows.push(row);
  if (rows.length === BATCH) await flush();
}
await flush();
await Promise.all(inFlight);
await pool.close();
process.stdout.write('done\n');
