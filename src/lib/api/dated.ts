// Answers with the time that the platform gave them at.
import type { Reply } from '../http/types.ts';

/** An answer, and when the platform gave it by its own clock; undefined where it does not say. */
export interface Dated<T> {
  body: T;
  date: number | undefined;
}

/** The answer with its `date` header, in milliseconds since the epoch. */
export function dated<T>({ body, headers }: Reply<T>): Dated<T> {
  const date = Date.parse(headers['date'] ?? '');
  return { body, date: Number.isNaN(date) ? undefined : date };
}
