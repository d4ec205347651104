// Catches errors, for tests that check every part of them.

/** The error that `work` throws; fails if it throws none. */
export function thrownBy(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it succeeded');
}

/** The error that a promise rejects with; fails if it resolves. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it succeeded');
}
