import { expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { failureReason } from "../../../../../service/engines/duckdb/failure-reasons";

const reasonOf = (error: unknown) => failureReason(error, { memoryBytes: 2_000_000_000 });
const secret = "row with a secret";

test.each([
  ["Out of Memory Error: could not allocate block", "the query ran out of memory (the cluster's limit is 2.0 GB)"],
  ["Invalid Input Error: HiveQL: a reason", "a reason"],
  ["Invalid Input Error: HiveQL: ASSERT_TRUE(): assertion failed.", "ASSERT_TRUE(): assertion failed."],
  ["Invalid Input Error: Something that DuckDB says", "the embedded engine failed"],
  [
    "Invalid Input Error: Invalid string length",
    "a number, date or text is too large for the type in which it is computed: compute numbers as double, or select smaller values",
  ],
  [
    'Invalid Input Error: Failed to read file "dag://data/t/a.parquet": ZSTD Decompression failure',
    "dag://data/t/a.parquet is damaged, or has texts that are not UTF-8: write it again, or remove it",
  ],
  [
    `Invalid Input Error: Invalid string encoding found in Parquet file "dag://data/t/a.parquet": value "${secret}" is not valid UTF8!`,
    "dag://data/t/a.parquet is damaged, or has texts that are not UTF-8: write it again, or remove it",
  ],
  [
    "Invalid Error: Failed to decompress GZIP block: data error",
    "a Parquet object is damaged, or has texts that are not UTF-8: write it again, or remove it",
  ],
  [
    `Invalid Input Error: CSV Error on Line: 1\nOriginal Line: ${secret}\n  file = dag://data/t/a.csv\n  delimiter = ,`,
    "dag://data/t/a.csv has a row that cannot be read: its text must be UTF-8",
  ],
  [
    'Invalid Input Error: Malformed JSON in file "dag://data/t/a.json", at byte 1 in line 3: invalid literal.',
    "dag://data/t/a.json has a line that is not a JSON object (write one object a line, without a list around them), has half a surrogate pair such as \\ud800, or is longer than 16 MiB",
  ],
  [
    'Invalid Input Error: "maximum_object_size" of 16777216 bytes exceeded while reading file "dag://data/t/a.json" (>33554428 bytes).',
    "dag://data/t/a.json has a line that is not a JSON object (write one object a line, without a list around them), has half a surrogate pair such as \\ud800, or is longer than 16 MiB",
  ],
  [
    `Out of Range Error: Overflow in HUGEINT addition: ${secret}`,
    "a number, date or text is too large for the type in which it is computed: compute numbers as double, or select smaller values",
  ],
  [
    `Conversion Error: Could not convert string '${secret}' to INT32`,
    "a number or date is too large for the type that it is converted to: cast numbers to double, or select smaller values",
  ],
  [
    "IO Error: Cannot open file: No such file or directory",
    "an object was changed or deleted while it was read, or cannot be read: submit the query again",
  ],
  [
    'IO Error: Could not write file "/data/buckets/out/tmp/1/result": No space left on device',
    "the disk of the service is full: free space on it",
  ],
  [
    "Binder Error: Referenced column nope",
    "the embedded engine cannot run the translation of the statement, which is a fault of the translator",
  ],
  [
    "Invalid Error: don't know what type: \u000f",
    "a Parquet object is damaged, or has texts that are not UTF-8: write it again, or remove it",
  ],
  [
    "Invalid Input Error: Type INT64 with value infinity can't be cast to the destination type INT64",
    "a Parquet object has a date or timestamp that is infinity, which HiveQL does not have: write it again with NULL or a date in its place, or do not select that column",
  ],
  ["anything else", "the embedded engine failed"],
])("failureReason: %s", (message, reason) => {
  const found = reasonOf(new Error(message));
  expect(found.reason).toBe(reason);
  expect(JSON.stringify(found)).not.toContain(secret);
});

test("failureReason: a full disk and an error of the API keep their reason", () => {
  const full = Object.assign(new Error("write"), { code: "ENOSPC" });
  expect(reasonOf(full).reason).toBe("the disk of the service is full: free space on it");
  expect(reasonOf(new errors.StorageAccessError("dag://b/ cannot be accessed")).reason).toBe(
    "dag://b/ cannot be accessed",
  );
});

test("failureReason: a file that was deleted is an object that changed", () => {
  const gone = Object.assign(new Error("ENOENT: no such file or directory, open '/data/x'"), { code: "ENOENT" });
  expect(reasonOf(gone).reason).toMatch(/^an object was changed or deleted while it was read/);
});

test("failureReason: a Parquet object that DuckDB does not name has the name of the statement's objects", () => {
  const known = (message: string) => failureReason(new Error(message), { memoryBytes: 1 }, "dag://data/p/a").reason;
  expect(known("Invalid Error: don't know what type: \u000f")).toMatch(/^dag:\/\/data\/p\/a is damaged/);
  expect(known("Invalid Input Error: Type INT64 with value -infinity can't be cast to the destination type")).toMatch(
    /^dag:\/\/data\/p\/a has a date or timestamp that is infinity/,
  );
});
