// Checks Kubernetes manifests against the schemas of `kubernetes-models`, and finds fields that are not in the schemas.
import { Job } from 'kubernetes-models/batch/v1/Job';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';

const MODELS = { Job, PersistentVolumeClaim };

export interface Manifest {
  kind: keyof typeof MODELS;
}

/**
 * Returns the paths of unknown fields. Throws if a field is missing or has the wrong type. The schemas are compiled to
 * code that ignores unknown fields, so unknown fields are those that this code never reads.
 */
export function unknownFields(manifest: Manifest): string[] {
  const unread = new Set<string>();
  const watched = <T>(value: T, path: string): T => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((part, index) => watched<unknown>(part, `${path}[${index}]`)) as T;
    const parts = Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, watched(part, `${path}.${key}`)]),
    );
    for (const key of Object.keys(parts)) unread.add(`${path}.${key}`);
    return new Proxy(parts, {
      get: (target, key) => {
        unread.delete(`${path}.${String(key)}`);
        return Reflect.get(target, key) as unknown;
      },
    }) as T;
  };
  const { validate } = MODELS[manifest.kind].prototype;
  validate.call(watched(manifest, manifest.kind));
  return [...unread];
}
