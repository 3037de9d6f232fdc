/** node:timers/promises in the world's time. */

function timer<Value>(milliseconds: number, value: Value, signal: AbortSignal | undefined): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(step);
      reject(Object.assign(new Error("The operation was aborted", { cause: signal?.reason }), { name: "AbortError" }));
    };
    const step = globalThis.setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort);
  });
}

export function setTimeout<Value>(
  milliseconds = 1,
  value?: Value,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Value | undefined> {
  return timer(milliseconds, value, options.signal);
}

export function setImmediate<Value>(value?: Value): Promise<Value | undefined> {
  return new Promise((resolve) => globalThis.setImmediate(() => resolve(value)));
}
