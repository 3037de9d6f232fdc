import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { S3EngineFiles } from "../../../../../../service/engines/duckdb/s3/files";
import type { S3Storage } from "../../../../../../storage/s3";

/** Returns the files of an engine on an S3 whose first writes fail. */
function filesWith(failures: readonly Error[]) {
  const directory = mkdtempSync(join(tmpdir(), "dag-s3-files-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const stored: string[] = [];
  const waiting = [...failures];
  const write = async (_: unknown, body: Readable) => {
    const content = await text(body);
    const failure = waiting.shift();
    if (failure) throw failure;
    stored.push(content);
  };
  const files = new S3EngineFiles({ storage: { write } as unknown as S3Storage, directory, maxBytes: 1e6 });
  const store = () =>
    files.withOutput("dag://out/tmp/1/a/", new AbortController().signal, (folder) => {
      writeFileSync(join(folder, "000000_0"), "1\n");
      return Promise.resolve("its columns");
    });
  return { store, stored };
}

const coded = (code: string) => Object.assign(new Error(code), { code });

test("select: a result that S3 refuses for a moment is stored, whole", async () => {
  const { store, stored } = filesWith([coded("ECONNREFUSED"), coded("ECONNRESET")]);
  expect(await store()).toBe("its columns");
  expect(stored).toEqual(["1\n"]);
});

test("select: a result that S3 denies is not tried again", async () => {
  const { store, stored } = filesWith([coded("AccessDenied")]);
  await expect(store()).rejects.toThrow("AccessDenied");
  expect(stored).toEqual([]);
});
