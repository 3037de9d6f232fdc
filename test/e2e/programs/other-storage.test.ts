/** A stack whose dag:storage is that of another environment, with buckets and folders of the same names. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { objectsUnder, queriesOf, startService, TestStack } from "../provider/harness";
import { birds, frontEnds, number, objects } from "./front-ends";

describe.each(frontEnds)("dag:storage of another environment, $name", (frontEnd) => {
  let service: TestService;
  let other: string;

  beforeAll(async () => {
    service = await startService({ objects, buckets: ["mart"] });
    other = mkdtempSync(join(tmpdir(), "dag-other-storage-"));
    mkdirSync(join(other, "mart/one"), { recursive: true });
    writeFileSync(join(other, "mart/one/000000_0"), "9\n99\n");
  });
  afterAll(async () => {
    rmSync(other, { recursive: true, force: true });
    await service?.close();
  });

  test("up, refresh and destroy: refuse it, run nothing again and delete nothing", async () => {
    await using stack = await TestStack.create(service);
    await stack.stack.removeConfig("dag:storage");
    const { envVars } = stack.stack.workspace;
    const use = (directory: string) => (envVars["DAG_STORAGE"] = `file:${directory}`);
    stack.program = () => {
      frontEnd.table("birds", birds("mart"));
      frontEnd.query("one", number(1, "dag://mart/one/", { expect: { rows: { min: 2 } } }));
    };
    const wrong = "dag:storage is not the storage of the service";
    const remedy = "correct dag:storage (DAG_STORAGE), or dag:endpoint (DAG_ENDPOINT)";

    // The expectation would be met there.
    use(other);
    const first = await stack.up();
    expect(first.ok, first.text).toBe(false);
    expect(first.text).toContain(`${wrong}: in dag://mart/one/ the service has 1 object, dag:storage has other ones`);
    expect(first.text).toContain(`${wrong}: in dag://mart/birds/ the service has 1 object, dag:storage has none`);
    expect(first.text).toContain(remedy);

    stack.program = () => {
      frontEnd.table("birds", birds("mart"));
      frontEnd.query("one", number(1, "dag://mart/one/"));
    };
    use(service.bucketsDirectory);
    const second = await stack.up();
    expect(second.ok, second.text).toBe(true);
    const submitted = (await queriesOf(service)).length;

    use(other);
    const refreshed = await stack.up({ refresh: true });
    expect(refreshed.ok, refreshed.text).toBe(true);
    expect(refreshed.text).toContain(wrong);
    expect(await queriesOf(service)).toHaveLength(submitted);
    const destroyed = await stack.destroy();
    expect(destroyed.ok, destroyed.text).toBe(false);
    expect(destroyed.text).toContain(wrong);
    expect(readdirSync(join(other, "mart/one"))).toEqual(["000000_0"]);

    use(service.bucketsDirectory);
    const done = await stack.destroy();
    expect(done.ok, done.text).toBe(true);
    expect(objectsUnder(service, "dag://mart/")).toEqual([]);
  });
});
