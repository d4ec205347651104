// A sample warehouse file that always contains the same customers and purchases.
import { existsSync, linkSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { temporaryPath } from '../../kernel/temporary-file.ts';
import { isoSeconds } from '../../kernel/timestamps.ts';
import { createDatabaseFile, type Database } from '../base/db.ts';

/** Default number of rows per table. */
export const SAMPLE_ROWS = 2000;

/** The rows are spread evenly over these years, so that later incremental runs find new rows. */
const FIRST_CHANGE = Date.UTC(2024, 0, 1);
const LAST_CHANGE = Date.UTC(2029, 0, 1);

const FIRST_NAMES = ['Ada', 'Ben', 'Chika', 'Dana', 'Emil', 'Fatima', 'Goran', 'Hana', 'Ines', 'Jun', 'Kim', 'Lena'];
const CITIES = ['Accra', 'Bergen', 'Cusco', 'Dakar', 'Esbjerg', 'Fukuoka', 'Graz'];
const PLANS = ['free', 'basic', 'plus'];
const PRODUCTS = ['lamp', 'chair', 'kettle', 'rug', 'clock'];

/** `rows` is the number of rows per table. The file appears once it is complete. Throws `EEXIST` if it exists. */
export async function makeSampleWarehouse(path: string, rows: number = SAMPLE_ROWS): Promise<void> {
  if (existsSync(path)) throw Object.assign(new Error(`EEXIST: ${path} already exists`), { code: 'EEXIST' });
  const temporary = temporaryPath(dirname(path));
  try {
    const db = await createDatabaseFile(temporary);
    try {
      db.transaction(() => fill(db, rows));
    } finally {
      db.close();
    }
    linkSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function fill(db: Database, rows: number): void {
  db.exec(`
    CREATE TABLE customers (
      customer_id TEXT, email TEXT, first_name TEXT, city TEXT, plan TEXT,
      loyalty_points INTEGER, is_member INTEGER, household_id TEXT, updated_at TEXT
    );
    CREATE TABLE purchases (customer_id TEXT, event_name TEXT, product TEXT, amount REAL, purchased_at TEXT)`);
  const step = (LAST_CHANGE - FIRST_CHANGE) / rows;
  for (let index = 0; index < rows; index++) {
    const number = index + 1;
    const at = isoSeconds(FIRST_CHANGE + Math.floor(index * step));
    db.run(
      'INSERT INTO customers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[`c-${number}`, `customer${number}@shop.example`, pick(FIRST_NAMES, number), pick(CITIES, number)],
      ...[pick(PLANS, number), (number * 37) % 1000, number % 3 === 0 ? 1 : 0, `h-${Math.ceil(number / 3)}`, at],
    );
    db.run(
      'INSERT INTO purchases VALUES (?, ?, ?, ?, ?)',
      ...[`c-${((number * 7) % rows) + 1}`, 'purchase', pick(PRODUCTS, number), ((number * 193) % 20_000) / 100, at],
    );
  }
}

function pick(words: readonly string[], number: number): string {
  return words[number % words.length] ?? '';
}
