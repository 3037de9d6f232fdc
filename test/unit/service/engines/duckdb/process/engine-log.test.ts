import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
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

test("engine.log: a disk that cannot be written loses lines, and nothing else; later lines are written", async () => {
  const directory = mkdtempSync(join(folder, "full-"));
  const file = join(directory, "engine.log");
  const { logger, written, close } = openEngineLog(directory, "c1", false);
  logger.info("before");
  await written();
  // The file cannot be written, as on a full disk.
  rmSync(file);
  symlinkSync("/dev/full", file);
  const broken = openEngineLog(directory, "c1", false);
  for (let line = 0; line < 3; line++) {
    broken.logger.info("lost");
    await broken.written();
  }
  rmSync(file);
  await expect
    .poll(() => {
      broken.logger.info("after");
      return existsSync(file) && readFileSync(file, "utf8");
    })
    .toMatch(/"after"/);
  expect(readFileSync(file, "utf8")).not.toMatch(/"lost"/);
  await broken.close();
  await close();
});

test("engine.log: the records of a process have its pid, once", async () => {
  const directory = mkdtempSync(join(folder, "pid-"));
  const { logger, close } = openEngineLog(directory, "c1", false);
  logger.info({ pid: 12_345 }, "started");
  await close();
  expect(readFileSync(join(directory, "engine.log"), "utf8").match(/"pid":\d+/g)).toEqual(['"pid":12345']);
});
