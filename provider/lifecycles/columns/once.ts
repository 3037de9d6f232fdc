/**
 * Computes a value at the first call and returns it at each. A call inside of the computation returns undefined, as for a
 * table of WITH that reads itself.
 */
export function once<Value>(compute: () => Value | undefined): () => Value | undefined {
  let result: { readonly value: Value | undefined } | undefined;
  return () => {
    if (!result) {
      result = { value: undefined };
      result = { value: compute() };
    }
    return result.value;
  };
}
