// Maximum time that tests wait for another process or thread.
/** Options for `vi.waitFor`. The time limit stops hanging tests; it does not measure speed. */
export const PATIENT = { timeout: 300_000, interval: 20 };
