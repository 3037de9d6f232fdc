/** The encoding of statements, and an output that cannot be written. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { useService } from "../service/fixture";
import { commandFor, environmentFor, main } from "./command";

const fixture = useService();
const start = commandFor(fixture);

const latin1 = Buffer.from("select 'caf\u00e9' as n", "latin1");

test("sql -: a statement that is not UTF-8 is refused with what to do", async () => {
  const refused = await start(["sql", "--csv", "-"], {}, latin1).ended;
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toBe(
    "dag-service: the statement on standard input is not UTF-8: save it as UTF-8, or convert it, as with iconv -f latin1 -t utf8\n",
  );
  const taken = await start(["sql", "--csv", "-"], {}, "\ufeffselect 'caf\u00e9 \ufffd' as n").ended;
  expect(taken).toEqual({ code: 0, stdout: "n\ncaf\u00e9 \ufffd\n", stderr: "" });
});

test("sql: an argument that is not UTF-8 is refused with what to do", async () => {
  // A shell passes on the bytes; Node.js would encode the argument.
  const child = spawn("sh", ["-c", `exec "$0" "$1" sql --csv "$(cat)"`, process.execPath, main], {
    env: environmentFor(fixture),
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  child.stdin.end(latin1);
  const [code] = await once(child, "close");
  expect([code, output]).toEqual([
    2,
    expect.stringMatching(
      /^dag-service: the statement has U\+FFFD as its character 12, .* iconv .* `dag-service sql -`\n$/,
    ),
  ]);
});

test.each([
  ["sql", "--csv", "select n from data.numbers"],
  ["sql", "select 1"],
  ["put", "--overwrite", __filename, "dag://raw/full/"],
  ["explain"],
  ["completion", "bash"],
  ["--version"],
  ["--help"],
])("exit code: 1, with one line, when standard output cannot be written: %s", async (...args) => {
  const full = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(full));
  const child = spawn(process.execPath, [main, ...args], {
    env: environmentFor(fixture),
    stdio: ["ignore", full, "pipe"],
  });
  let stderr = "";
  child.stderr!.on("data", (chunk) => (stderr += chunk));
  const [code] = await once(child, "close");
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^dag-service: standard output cannot be written \(ENOSPC\): .*\n$/),
  ]);
});
