import { expect, test } from "vitest";
import { cancelQuery } from "../../../../service/core/queries/query-operations";
import { startHarness } from "./harness";

test("run: a state that temporarily cannot be written loses no query and blocks no other", async () => {
  const h = await startHarness();
  const { state } = h.context;
  const end = state.end.bind(state);
  let refusals = 0;
  state.end = async () => {
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
  state.end = end;
  await cancelling;
  expect(await h.ended(finishing)).toBe("finished");
  expect(await h.status(cancelled)).toBe("canceled");
  expect(h.get("dag://out/r/000000_0")).toBe("whole");
});
