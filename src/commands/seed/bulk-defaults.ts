// What the flags of `seed bulk` are when they are not given.
export const BULK_DEFAULTS = { batchSize: '100', batchBytes: '256KB', concurrency: '64' } as const;
