import { expect, test } from "vitest";
import type { Location } from "../../../../contract";
import { s3UsageOf } from "../../../../service/state/s3-usage";
import { accessError } from "../../../../storage/errors";

/** Storage of buckets with an object of 7 bytes each, of which some may not be listed. */
function storageOf(buckets: readonly string[], denied: readonly string[], code = "AccessDenied") {
  return {
    buckets: async () => [...buckets],
    async *list(location: Location) {
      const cause = Object.assign(new Error("no"), { name: code });
      if (denied.includes(location.bucket)) throw accessError(location, "no", cause);
      yield { location: { ...location, key: "a" }, size: 7, lastModified: new Date(0) };
    },
  };
}

test("s3UsageOf: buckets that the key may not list are left out", async () => {
  expect(await s3UsageOf(storageOf(["a", "b", "c"], ["b"]))()).toMatchObject({ objects: 14 });
});

test.each([
  ["no bucket may be listed", storageOf(["a", "b"], ["a", "b"])],
  ["a bucket cannot be listed for another reason", storageOf(["a", "b"], ["b"], "TimeoutError")],
])("s3UsageOf: an error when %s", async (_, storage) => {
  await expect(s3UsageOf(storage)()).rejects.toMatchObject({ code: "StorageAccessError" });
});
