// The known state of the platform for the check of a roles file, and the unknown fields that it allows in the file.
import type { FieldIssue } from '../../contract/explain.ts';
import { nearest } from '../../kernel/nearest.ts';
import { isRecord } from '../../kernel/json.ts';
import type { Manifest } from './manifest.ts';

export interface Known {
  /** The manifests whose unknown fields the file may repeat. */
  live?: Manifest | undefined;
  base?: Manifest | undefined;
  /** The ids a role may hold. Without them the catalog of the specification only advises. */
  liveTasks?: ReadonlySet<string> | undefined;
  /** True until the platform was read: unknown fields and empty texts, which it may explain, are then no issue. */
  tolerateUnknown?: boolean | undefined;
}

export type Path = (string | number)[];

/** The findings of a check: issues stop, warnings advise. */
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
 * Reports each field that is neither in the specification (`allowed`) nor returned by the platform at this place
 * (`seen`), with the nearest name. Also checks inside maps that the specification does not know.
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
