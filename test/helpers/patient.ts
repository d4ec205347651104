// Maximum time that tests wait for another process or thread.
/** For `vi.waitFor`: stops hanging tests, and does not measure speed. */
export const PATIENT = { timeout: 300_000, interval: 20 };
