// How a fault looks, alone and in a list.
import type { Column, ListView, RecordView } from '../../lib/render/view.ts';

/** As the control address takes and gives it. */
export interface Fault {
  method?: string;
  path?: string;
  status?: number;
  retry_after?: number | string;
  delay?: number | string;
  drop?: 'before' | 'after';
  times?: number;
  probability?: number;
}

const columns: Column<Fault>[] = [
  { key: 'method', value: ({ method }) => method ?? 'any' },
  { key: 'path', value: ({ path }) => path ?? 'any' },
  { key: 'status', value: ({ status }) => status, align: 'right' },
  { key: 'retry_after', value: ({ retry_after }) => retry_after, rank: 2 },
  { key: 'delay', value: ({ delay }) => delay },
  { key: 'drop', value: ({ drop }) => drop },
  { key: 'times', value: ({ times }) => times ?? 'all', rank: 1 },
  { key: 'probability', value: ({ probability }) => probability, rank: 2 },
];

export const faultRecord: RecordView<Fault> = { kind: 'record', columns };

export const faultList: ListView<Fault> = { kind: 'list', columns, empty: 'There are no faults.' };
