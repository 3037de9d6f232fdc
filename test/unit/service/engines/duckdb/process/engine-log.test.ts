import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openEngineLog } from "../../../../../../service/engines/duckdb/process/engine-log";

const folder = mkdtempSync(join(tmpdir(), "log-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("engine.log: is rotated by size, the newest to engine.log.1, without losing a line", async () => {
  const { logger, written, close } = openEngineLog(folder, "c1", false);
  const count = 260;
  for (let line = 0; line < count; line++) {
    logger.info({ line, text: "x".repeat(100_000) }, "filler");
    await written();
  }
  await close();
  const names = readdirSync(folder)
    .filter((name) => name.startsWith("engine.log"))
    .toSorted();
  expect(names).toEqual(["engine.log", "engine.log.1", "engine.log.2"]);
  for (const name of names) expect(statSync(join(folder, name)).size).toBeLessThan(11_000_000);
  const lines = names.toReversed().flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"));
  expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual(
    Array.from({ length: count }, (_, line) => line),
  );
});

test("engine.log: has debug lines only with debug; lines name the cluster", async () => {
  const quiet = mkdtempSync(join(folder, "quiet-"));
  const verbose = mkdtempSync(join(folder, "verbose-"));
  for (const [directory, debug] of [
    [quiet, false],
    [verbose, true],
  ] as const) {
    const { logger, close } = openEngineLog(directory, "c1", debug);
    logger.debug("detail");
    logger.info("event");
    await close();
  }
  const messages = (directory: string) =>
    readFileSync(join(directory, "engine.log"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { msg: string; cluster: string });
  expect(messages(quiet).map(({ msg }) => msg)).toEqual(["event"]);
  expect(messages(verbose).map(({ msg, cluster }) => [msg, cluster])).toEqual([
    ["detail", "c1"],
    ["event", "c1"],
  ]);
});
