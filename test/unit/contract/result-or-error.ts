/** Returns the result of the work, or the error that it throws. */
export function resultOrError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
