import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Harness } from "../harness";

test("start: a cluster whose server hangs holds up the service for 20 seconds, and comes up later", async () => {
  const harness = new Harness(mkdtempSync(join(tmpdir(), "dag-core-")), {
    clusters: { c1: [{ grade: "standard", quantity: 3 }] },
  });
  const { clock, family, service } = harness;
  onTestFinished(async () => {
    await service.stop();
    rmSync(harness.directory, { recursive: true, force: true, maxRetries: 3 });
  });
  family.startDelay = Promise.withResolvers();
  const start = service.start();
  await harness.until("a start of the engine", () => family.starts.length === 1);
  clock.advance(20_000);
  await start;
  expect(harness.context.clusters.get("c1")!.status).toBe("starting");
  family.startDelay.resolve();
  await harness.up();
});
