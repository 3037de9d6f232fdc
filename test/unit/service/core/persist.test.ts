import { expect, test } from "vitest";
import { cancelQuery } from "../../../../service/core/queries/query-operations";
import { startHarness } from "./harness";

test("run: a state that temporarily cannot be written loses no query and blocks no other", async () => {
  const h = await startHarness();
  const { state } = h.context;
  const end = state.attempts.end.bind(state.attempts);
  let refusals = 0;
  state.attempts.end = async () => {
    refusals += 1;
    throw new Error("database or disk is full");
  };
  const [finishing, cancelled] = [await h.select({ outputResourcePath: "dag://out/r" }), await h.select()];
  (await h.working(finishing)).finish("whole");
  await h.working(cancelled);
  const cancelling = cancelQuery(h.context, cancelled);
  await h.until("refused more than once for each", () => refusals >= 4);
  expect(await h.status(finishing)).toBe("running");
  expect(refusals).toBeLessThan(50);
  state.attempts.end = end;
  await cancelling;
  expect(await h.ended(finishing)).toBe("finished");
  expect(await h.status(cancelled)).toBe("canceled");
  expect(h.get("dag://out/r/000000_0")).toBe("whole");
});

test("stop: a result that could not be published, and whose end could not be stored, is published by the next start", async () => {
  const first = await startHarness();
  const { state, platform } = first.context;
  const id = await first.select({ outputResourcePath: "dag://out/r" });
  platform.outputs.publishReplacing = () => Promise.reject(new Error("the bucket cannot be reached"));
  let refusals = 0;
  state.attempts.end = () => {
    refusals += 1;
    throw new Error("database or disk is full");
  };
  (await first.working(id)).finish("whole");
  await first.until("refused", () => refusals > 0);
  await first.service.stop();

  const second = await startHarness({ directory: first.directory });
  expect(await second.ended(id)).toBe("finished");
  expect(second.get("dag://out/r/000000_0")).toBe("whole");
  // The first start has stored what its engine knew of the result.
  expect(await second.context.catalog.definition({ database: "out", table: "r" })).toMatchObject({
    source: "select",
    columns: [{ name: "line", type: "string" }],
  });
});

test("restartCluster with force: a query that it had cancelled when the process ended is cancelled by the next start", async () => {
  const first = await startHarness();
  first.put("dag://out/r/000000_0", "earlier");
  const id = await first.select({ outputResourcePath: "dag://out/r" });
  await first.working(id);
  // All that is stored of a restart whose process is killed next.
  const { admission } = first.context.state;
  await admission.restartCluster("c1", { type: "memory", debug: true }, true);
  await first.service.stop();

  const second = await startHarness({ directory: first.directory });
  expect(await second.ended(id)).toBe("canceled");
  expect(second.get("dag://out/r/000000_0")).toBe("earlier");
});
