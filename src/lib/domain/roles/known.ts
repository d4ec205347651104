// What is known of the platform when a roles file is checked, and what that excuses in the file.
import type { FieldIssue } from '../../contract/explain.ts';
import { nearest } from '../../kernel/nearest.ts';
import { isRecord } from '../../kernel/json.ts';
import type { Manifest } from './manifest.ts';

export interface Known {
  /** The manifests whose unknown fields may stand in the file. */
  live?: Manifest | undefined;
  base?: Manifest | undefined;
  /** The ids a role may hold. Undefined: unknown, then the catalogue of the specification only advises. */
  liveTasks?: ReadonlySet<string> | undefined;
  /** True while the platform was not read yet: what it may excuse, unknown fields and empty texts, is then no issue. */
  tolerateUnknown?: boolean | undefined;
  /** Ids to propose and to advise by when there are no live ones. */
  catalogTasks: ReadonlySet<string>;
}

export type Path = (string | number)[];

/** What a check found: issues stop, warnings advise. */
export class Report {
  readonly issues: FieldIssue[] = [];
  readonly warnings: FieldIssue[] = [];
  issue(path: Path, message: string, at?: 'key'): void {
    this.issues.push({ path, message, ...(at && { at }) });
  }
  warn(path: Path, message: string): void {
    this.warnings.push({ path, message });
  }
}

/** The manifests that the platform returned. */
export function remembered(known: Known): Manifest[] {
  return [known.live, known.base].filter((manifest) => manifest !== undefined);
}

/**
 * Reports the fields that neither the specification knows (`allowed`) nor the platform returned in this place
 * (`seen`), with the nearest name; within maps that the specification does not know, likewise.
 */
export function checkFields(
  found: Record<string, unknown>,
  allowed: readonly string[],
  seen: readonly Record<string, unknown>[],
  path: Path,
  { known, report }: { known: Known; report: Report },
): void {
  if (known.tolerateUnknown) return;
  for (const [key, value] of Object.entries(found)) {
    if (allowed.includes(key)) continue;
    const holders = seen.filter((one) => Object.hasOwn(one, key));
    if (holders.length === 0) {
      const proposal = nearest(key, [...allowed, ...seen.flatMap(Object.keys)]);
      const hint = proposal === undefined ? '' : `; did you mean \`${proposal}\`?`;
      report.issue([...path, key], `unknown field \`${key}\`${hint}`, 'key');
    } else if (isRecord(value)) {
      const inside = holders.map((one) => one[key]).filter(isRecord);
      checkFields(value, [], inside, [...path, key], { known, report });
    }
  }
}
