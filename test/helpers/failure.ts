// Catches errors for tests that assert on every part of them.

/** Returns the error that `work` throws; fails if `work` does not throw. */
export function thrownBy(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it succeeded');
}

/** Returns the error that a promise rejects with; fails if the promise resolves. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it succeeded');
}
