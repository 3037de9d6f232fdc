import { expect, test } from "vitest";
import { describeExit, formatBytes } from "../../../../../../service/engines/duckdb/process/exit";

const exit = { code: null, signal: null, stderr: "", heapMebibytes: 512 } as const;

test.each([
  [
    {
      signal: "SIGABRT",
      stderr:
        "\n<--- Last few GCs --->\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n",
    },
    "memory",
    "the query ran out of JavaScript heap (limit 512 MiB)",
  ],
  [
    { signal: "SIGKILL" },
    "crash",
    "the query's process was killed (SIGKILL), by hand or because the machine ran out of memory: lower the cluster's memory if it was the latter",
  ],
  [{ signal: "SIGSEGV" }, "crash", "the query's process crashed (SIGSEGV)"],
  [
    { signal: "SIGABRT", stderr: "terminate called\nwhat(): bad\n" },
    "crash",
    "the query's process crashed (SIGABRT): what(): bad",
  ],
  [
    { code: 1, stderr: "node:internal/x:1\nthrow err;\n\nError: Cannot find module 'x'\n    at y\n\nNode.js v24\n" },
    "crash",
    "the query's process exited with code 1: Error: Cannot find module 'x'",
  ],
  [{ code: 0 }, "crash", "the query's process exited with code 0"],
  [{}, "crash", "the query's process exited with code unknown"],
] as const)("describeExit: %j", (given, cause, reason) =>
  expect(describeExit({ ...exit, ...given })).toEqual({ cause, reason }),
);

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [64_000_000, "64.0 MB"],
  [2_147_483_648, "2.1 GB"],
  [5e18, "5000.0 PB"],
])("formatBytes: %d is %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
