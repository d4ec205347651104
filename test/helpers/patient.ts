// How long tests wait for what another process or thread does.
/** For `vi.waitFor`: a guard against tests that hang, and no measure of speed. */
export const PATIENT = { timeout: 300_000, interval: 20 };
