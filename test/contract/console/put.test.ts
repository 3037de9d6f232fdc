/** `dag-service put`: stores files as objects, and says why one cannot be stored. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { useService } from "../service/fixture";
import { commandFor } from "./command";
import { losses, lossNames, startProxy } from "./proxy";

const fixture = useService();
const start = commandFor(fixture);
const run = (...parameters: Parameters<typeof start>) => start(...parameters).ended;

test("put: stores a file as an object, under its own name in a folder, and never over another one by itself", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dag-put-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "new rows.csv");
  writeFileSync(file, "9,z\n");
  expect(await run(["put", file, "dag://raw/up/"])).toEqual({
    code: 0,
    stderr: "",
    stdout: "dag://raw/up/new rows.csv 4\n",
  });
  expect(fixture.get("raw/up/new rows.csv")).toBe("9,z\n");
  expect((await run(["put", file, "dag://raw/up/other.csv"])).stdout).toBe("dag://raw/up/other.csv 4\n");
  writeFileSync(file, "8,y\n7,x\n");
  const refused = await run(["put", file, "dag://raw/up/"]);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain(
    "dag://raw/up/new rows.csv exists: name another one, or replace it with --overwrite",
  );
  expect((await run(["put", "--overwrite", file, "dag://raw/up/"])).code).toBe(0);
  expect(fixture.get("raw/up/new rows.csv")).toBe("8,y\n7,x\n");
});

test.each([
  [["put", "/nowhere/at/all", "dag://raw/x"], 2, "cannot be read (ENOENT)"],
  [["put", tmpdir(), "dag://raw/x"], 2, "is not a file"],
  [["put", __filename, "raw/x"], 2, "raw/x is not a location"],
  [["put", __filename, "dag://nowhere/x"], 1, "InputBucketIsNotFound"],
  [["put", "-", "dag://raw/x"], 2, "- is not a file: standard input, pipes and devices cannot be stored"],
  [["put", "/dev/stdin", "dag://raw/x"], 2, "write what they give to a file, and name that"],
  [["put", __filename, "dag://data/events"], 1, "dag://data/events is a folder: end it with / to store the file there"],
  [["put", __filename, "dag://raw/in.csv/x"], 1, "dag://raw/in.csv/x has an object as a part of its path"],
  [["put", __filename, "dag://raw/.uploads/x.csv"], 1, "is in .uploads/, which is reserved"],
] as const)("put: says why %j cannot be stored", async (args, code, message) => {
  const { stderr, ...rest } = await run(args);
  expect(rest).toEqual({ code, stdout: "" });
  expect(stderr).toContain(message);
});

test("put: the name of a file that no object can have is refused as such", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dag-put-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "esc\u001b[31m.csv");
  writeFileSync(file, "1\n");
  const { code, stderr } = await run(["put", file, "dag://raw/up/"]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/up\/esc\\u001b\[31m\.csv is not a location: .*control characters/),
  ]);
});

test.each(lossNames)("put: says that the file may be stored when a proxy %s", async (loss) => {
  const proxied = await startProxy(fixture.service, "PUT", async (_, response, pass) => {
    await pass();
    losses[loss](response);
  });
  const { code, stdout, stderr } = await commandFor({ service: proxied })([
    "put",
    "--overwrite",
    __filename,
    "dag://raw/lost/",
  ]).ended;
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(
    /: it may have been stored as dag:\/\/raw\/lost\/put\.test\.ts\. Look at that object, as with GET \/objects\/raw\/lost\/put\.test\.ts, or run the command again with --overwrite\n$/,
  );
  expect(fixture.get("raw/lost/put.test.ts")).toBe(readFileSync(__filename, "utf8"));
});

test("put: a connection that is refused has sent nothing, and ends with exit code 2", async () => {
  const { code, stderr } = await run(["put", __filename, "dag://raw/x", "--endpoint", "http://127.0.0.1:1"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("no service answers at http://127.0.0.1:1: start one")]);
});
