// The error that some work ends with, so that a test can look at all of it.

/** What `work` throws; fails when that is nothing. */
export function thrownBy(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it succeeded');
}

/** What a promise is rejected with; fails when it is not. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it succeeded');
}
