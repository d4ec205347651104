// Finds the warehouse file of a connection, or the reason why there is none (decision: D64).
import { existsSync } from 'node:fs';
import type { ConnectionRequest } from '../../contract/connections.ts';
import type { Fixtures } from '../fixtures/document.ts';

/** `sample` means the sample warehouse, which is created on demand. */
export type WarehouseFile = { file: string } | { sample: true };

export interface Unreachable {
  /** The problem. It may name fields, but never contains their values. */
  unreachable: string;
}

/** Searches the listed warehouses. If none are listed, returns the `fallback` file or the sample. */
export function findWarehouse(
  { service_provider, config }: Pick<ConnectionRequest, 'service_provider' | 'config'>,
  warehouses: Fixtures['warehouses'],
  fallback: string | undefined,
): WarehouseFile | Unreachable {
  if (warehouses.length === 0) return fallback === undefined ? { sample: true } : existing(fallback);
  const fields: Readonly<Record<string, unknown>> = config;
  const matches = (wanted: Readonly<Record<string, string>>): boolean =>
    Object.entries(wanted).every(([field, value]) => fields[field] === value);
  const known = warehouses.filter(
    (warehouse) => warehouse.service_provider === service_provider && matches(warehouse.match),
  );
  const [first] = known;
  if (!first) {
    const asked = warehouses
      .filter((warehouse) => warehouse.service_provider === service_provider)
      .flatMap(({ match }) => Object.keys(match));
    const names = [...new Set(asked)].map((field) => `\`${field}\``).join(', ');
    return {
      unreachable: names === '' ? `no ${service_provider} warehouse is known` : `no warehouse matches ${names}`,
    };
  }
  const open = known.find(({ credentials }) => matches(credentials));
  if (open) return existing(open.file);
  const wrong = Object.entries(first.credentials).filter(([field, value]) => fields[field] !== value);
  return { unreachable: `credentials rejected: ${wrong.map(([field]) => `\`${field}\``).join(', ')}` };
}

function existing(file: string): WarehouseFile | Unreachable {
  return existsSync(file) ? { file } : { unreachable: `the warehouse file ${file} is missing` };
}
