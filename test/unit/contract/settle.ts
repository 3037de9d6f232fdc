/** The result, or the error that was thrown. */
export function settle(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
