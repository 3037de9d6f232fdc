/** Measures the size of the objects on S3, by listing them. */
import { s3Problem } from "../../storage/s3-problems";
import type { Storage } from "../../storage/storage";
import type { DiskUsage } from "../core/ports/platform";

/** Milliseconds for which a measurement is reused, or so many times as long as it took, whichever is longer. */
const reuse = { milliseconds: 60_000, times: 20 } as const;

/** S3 has no limit: the largest number that every client of the API reads exactly. */
const capacity = Number.MAX_SAFE_INTEGER;

/** Returns a function that measures all buckets; concurrent callers share one measurement. */
export function s3UsageOf(storage: Pick<Storage, "buckets" | "list">): () => Promise<DiskUsage> {
  let last: { readonly usage: Promise<DiskUsage>; until: number } | undefined;
  return () => {
    const started = performance.now();
    if (last && started < last.until) return last.usage;
    const measured = { usage: measure(storage), until: Number.POSITIVE_INFINITY };
    last = measured;
    measured.usage.then(
      () => {
        const now = performance.now();
        measured.until = now + Math.max(reuse.milliseconds, (now - started) * reuse.times);
      },
      () => (measured.until = 0),
    );
    return measured.usage;
  };
}

async function measure(storage: Pick<Storage, "buckets" | "list">): Promise<DiskUsage> {
  let objects = 0;
  const denied: unknown[] = [];
  const buckets = await storage.buckets();
  for (const bucket of buckets) {
    try {
      for await (const { size } of storage.list({ bucket, key: "" })) objects += size;
    } catch (error) {
      // Amazon names all buckets of the account, also those that the key may not list.
      if (s3Problem(error) !== "denied") throw error;
      denied.push(error);
    }
  }
  if (denied.length > 0 && denied.length === buckets.length) throw denied[0];
  return { objects, other: 0, capacity };
}
