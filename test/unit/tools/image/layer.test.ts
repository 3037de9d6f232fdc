/** Layers of the image, of files that differ in nothing that the image keeps. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { digestOf, writeLayer } from "../../../../tools/image/layer.mjs";

let work = "";
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), "dag-layer-"));
  mkdirSync(join(work, "layout/blobs/sha256"), { recursive: true });
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

/** Writes the same two files, in this order, at this time and with these modes. */
function write(name: string, order: readonly string[], seconds: number, mode: number): string {
  const folder = join(work, name);
  mkdirSync(folder);
  for (const file of order) {
    writeFileSync(join(folder, file), file);
    chmodSync(join(folder, file), file === "program" ? mode | 0o100 : mode);
    utimesSync(join(folder, file), seconds, seconds);
  }
  utimesSync(folder, seconds, seconds);
  return folder;
}

test("writeLayer: the order, time, owner and mask of the files change no byte", async () => {
  const layout = join(work, "layout");
  const first = await writeLayer(layout, [{ folder: write("a", ["program", "text"], 1e9, 0o600) }]);
  const second = await writeLayer(layout, [{ folder: write("b", ["text", "program"], 2e9, 0o664) }]);
  expect(second).toEqual(first);
});

test("writeLayer: a part has its own owner and mode, and the digests are those of the blob and of its content", async () => {
  const layout = join(work, "layout");
  const folder = write("a", ["program", "text"], 1e9, 0o600);
  mkdirSync(join(work, "places/data"), { recursive: true });
  const places = { folder: join(work, "places"), names: ["data"], owner: 65532, mode: "0700" };
  const { descriptor, diffId } = await writeLayer(layout, [{ folder }, places]);
  const blob = readFileSync(join(layout, "blobs", descriptor.digest.replace(":", "/")));
  expect([digestOf(blob), blob.length, digestOf(gunzipSync(blob))]).toEqual([
    descriptor.digest,
    descriptor.size,
    diffId,
  ]);
  const listed = execFileSync("tar", ["-tvz", "--numeric-owner"], { input: blob, encoding: "utf8" });
  expect(listed.split("\n").map((line) => [line.slice(0, 10), line.split(/\s+/)[1], line.split(" ").at(-1)])).toEqual([
    ["drwxr-xr-x", "0/0", "./"],
    ["-rwxr-xr-x", "0/0", "./program"],
    ["-rw-r--r--", "0/0", "./text"],
    ["drwx------", "65532/65532", "data/"],
    ["", undefined, ""],
  ]);
});
