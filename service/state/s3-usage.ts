/** Measures the size of the objects on S3, by listing them. */
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
  for (const bucket of await storage.buckets()) {
    for await (const { size } of storage.list({ bucket, key: "" })) objects += size;
  }
  return { objects, other: 0, capacity };
}
