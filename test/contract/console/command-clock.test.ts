/** Commands for a service whose clock is another than that of this machine. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { useService } from "../service/fixture";
import { commandFor } from "./command";

const fixture = useService();
beforeEach(() => fixture.service.reset());
const start = commandFor(fixture);
const hour = 3_600_000;

test("sql and put: follow the service's clock", async () => {
  fixture.service.clock.advance(5 * hour);
  expect(await start(["sql", "--csv", "select 1 n"]).ended).toEqual({ code: 0, stderr: "", stdout: "n\n1\n" });
  const folder = mkdtempSync(join(tmpdir(), "dag-put-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "rows.csv");
  writeFileSync(file, "9,z\n");
  expect(await start(["put", file, "dag://raw/late/"]).ended).toMatchObject({ code: 0, stderr: "" });
  expect(fixture.get("raw/late/rows.csv")).toBe("9,z\n");
});

test("sql: a difference of more than a day is an error", async () => {
  fixture.service.clock.advance(25 * hour);
  const { code, stderr } = await start(["sql", "select 1"]).ended;
  expect(code).toBe(2);
  expect(stderr).toMatch(/^dag-service: RequestTimeTooSkewed: /);
});
