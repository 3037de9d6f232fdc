import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { failureReason } from "../../../../../service/engines/duckdb/failure-reasons";
import type { EngineFile } from "../../../../../service/engines/duckdb/files";
import { parquetOf } from "../../../../../service/engines/duckdb/run-select";

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
  ["Invalid Error: Failed to decompress GZIP block: data error", "the embedded engine failed"],
  [
    `Invalid Input Error: CSV Error on Line: 1\nOriginal Line: ${secret}\n  file = dag://data/t/a.csv\n  delimiter = ,`,
    "dag://data/t/a.csv has a row that cannot be read: its text must be UTF-8",
  ],
  [
    'Invalid Input Error: Malformed JSON in file "dag://data/t/a.json", at byte 9 in line 3: invalid UTF-8 encoding in string. ',
    "dag://data/t/a.json has a row that cannot be read: its text must be UTF-8",
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
    "an object or folder that the query reads or writes was changed or deleted meanwhile, or cannot be accessed: submit it again",
  ],
  [
    'IO Error: Could not write file "/data/buckets/out/tmp/1/result": No space left on device',
    "the disk of the service is full: free space on it",
  ],
  [
    'IO Error: Could not write file "/data/buckets/out/tmp/1/result": File too large',
    "the result, or what the query keeps on the disk until it ends, cannot be written: file too large (EFBIG): raise the largest size of a file that the service may write (ulimit -f, or LimitFSIZE of systemd), or select less",
  ],
  [
    'IO Error: Cannot open file "dag://data/t/a.csv": Permission denied\n\nLINE 1: SELECT',
    "dag://data/t/a.csv cannot be accessed: permission denied (EACCES)",
  ],
  [
    "Not implemented Error: Unsupported join type for flattening correlated subquery",
    "the embedded engine cannot run a correlated subquery of the statement: compare columns of the outer query in WHERE of the subquery only, and move what it joins into WITH",
  ],
  [
    'Not implemented Error: function "correlated"',
    "the embedded engine cannot run the translation of the statement, which is a fault of the translator",
  ],
  [
    "Binder Error: Referenced column nope",
    "the embedded engine cannot run the translation of the statement, which is a fault of the translator",
  ],
  [
    'IO Error: Cannot open file "/data/buckets/parquet/corrupt.parquet": No such file or directory',
    "an object or folder that the query reads or writes was changed or deleted meanwhile, or cannot be accessed: submit it again",
  ],
  [
    "FATAL Error: Failed: database has been invalidated because of a previous fatal error.",
    "the embedded engine failed",
  ],
  [
    "Invalid Input Error: Type INT64 with value infinity can't be cast to the destination type INT64",
    "a Parquet object has a date or timestamp that HiveQL does not have, such as infinity: write it again with NULL or a date in its place, or do not select that column",
  ],
  [
    "Conversion Error: Could not convert Timestamp(MS) to Timestamp(US)",
    "a Parquet object has a date or timestamp that HiveQL does not have, such as infinity: write it again with NULL or a date in its place, or do not select that column",
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

test("failureReason: a file that may not be read is named, a file that is too large is not", () => {
  const system = { errno: -13, code: "EACCES", path: "dag://data/t/b.csv" };
  expect(reasonOf(Object.assign(new Error("open"), system)).reason).toBe(
    "dag://data/t/b.csv cannot be accessed: permission denied (EACCES)",
  );
  expect(reasonOf(Object.assign(new Error("write"), { code: "EFBIG" })).reason).toContain("file too large (EFBIG)");
});

test("failureReason: a file that was deleted is an object that changed", () => {
  const gone = Object.assign(new Error("ENOENT: no such file or directory, open '/data/x'"), { code: "ENOENT" });
  expect(reasonOf(gone).reason).toMatch(/^an object or folder that the query reads or writes was changed/);
});

/** The reason of a statement that reads one Parquet object, whose size is as it was. */
const known = (message: string) => {
  const parquet = { name: "dag://data/p/a", isUnchanged: (path: string) => path === "/data/p/a" };
  return failureReason(new Error(message), { memoryBytes: 1 }, parquet).reason;
};

test.each([
  "Invalid Error: don't know what type: \u000f",
  "Invalid Error: Failed to decompress GZIP block: data error",
  "Invalid Error: Variable-length int over 10 bytes.",
  "Invalid Error: Payload value bigger than allowed. Corrupted file?",
  "Invalid Error: invalid TType",
  "Invalid Error: Page size mismatch",
  "Invalid Input Error: The width (88) of the bitpacked data exceeds the supported max width (32), the file might be corrupted.",
  "Invalid Input Error: Parquet file has invalid block sizes for DELTA_BINARY_PACKED",
  "Invalid Input Error: Incorrect stats size for type BIGINT",
  "IO Error: DELTA_LENGTH_BYTE_ARRAY - length mismatch between values and byte array lengths (attempted read of 2 from 1 entries) - corrupt file?",
  "Not implemented Error: StringColumnReader can only read plain data from a shared buffer",
])("failureReason: a Parquet object that cannot be read has the name of the statement's objects: %s", (message) => {
  expect(known(message)).toBe(
    "dag://data/p/a is damaged, or has texts that are not UTF-8: write it again, or remove it",
  );
});

test.each([
  ["Invalid Error: Prefetch registered for bytes outside file: /data/p/b, attempted range: [1, 9), file size: 5", "b"],
  [`Invalid Input Error: Parquet file '/data/p/b': metadata is corrupt. Column 1 has invalid column offsets`, "b"],
  ['IO Error: Could not read enough bytes from file "/data/p/a": attempted to read 9 bytes from location 5', "a"],
  ['IO Error: Could not read from file "/data/p/a": Invalid argument', "a"],
])("failureReason: a Parquet object that cannot be read has the name that DuckDB says: %s", (message, name) => {
  expect(known(message)).toBe(
    `/data/p/${name} is damaged, or has texts that are not UTF-8: write it again, or remove it`,
  );
});

test("failureReason: an object that lost its end while it was read has changed", () => {
  expect(known('IO Error: Could not read enough bytes from file "/data/p/b": attempted to read 9 bytes')).toMatch(
    /^an object or folder that the query reads or writes was changed/,
  );
});

test("parquetOf: names the objects with rows, and says which of them have the size that was listed", () => {
  const directory = mkdtempSync(join(tmpdir(), "parquet-of-"));
  try {
    const fileOf = (name: string, size: number): EngineFile => {
      writeFileSync(join(directory, name), "x".repeat(size));
      return { path: join(directory, name), location: `dag://data/t/${name}`, name, size };
    };
    const table = { database: "data", table: "t", format: "parquet", checked: false } as const;
    const [empty, a, b] = [fileOf("empty", 0), fileOf("a", 5), fileOf("b", 5)];
    expect(parquetOf([{ ...table, files: [empty] }])).toBeUndefined();
    expect(parquetOf([{ ...table, format: "csv", files: [a] }])).toBeUndefined();
    expect(parquetOf([{ ...table, files: [empty, a] }])?.name).toBe("dag://data/t/a");
    const both = parquetOf([{ ...table, files: [a, b] }])!;
    expect(both.name).toBe("one of the Parquet objects of data.t");
    writeFileSync(b.path, "x");
    expect([a.path, b.path, empty.path].map((path) => both.isUnchanged(path))).toEqual([true, false, false]);
    rmSync(a.path);
    expect(both.isUnchanged(a.path)).toBe(false);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("failureReason: infinity has the name of the statement's Parquet objects", () => {
  expect(known("Invalid Input Error: Type INT64 with value -infinity can't be cast to the destination type")).toMatch(
    /^dag:\/\/data\/p\/a has a date or timestamp that HiveQL does not have/,
  );
});
