import { expect, test } from "vitest";
import { OverlapError } from "../../../../../provider/lifecycles/overlap/overlap";
import { ProgramOverlaps } from "../../../../../provider/lifecycles/overlap/program-overlaps";

const urn = (kind: string, name: string) => `urn:pulumi:dev::unit::dag:index:${kind}::${name}`;
const early = urn("SelectQuery", "early");

/** A context whose time passes in steps, each of which may do something. */
const steps = (...work: (() => void)[]) => ({
  signal: new AbortController().signal,
  sleep: () => Promise.resolve(work.shift()?.()),
  left: work,
});

test("requireNoConflict: a resource that comes while it waits is compared, however long its check takes", async () => {
  const overlaps = new ProgramOverlaps();
  const register = (name: string, inputs: object, until: Promise<unknown>) =>
    void overlaps.registering(async () => {
      await until;
      await overlaps.check(name, inputs);
    });
  await overlaps.check(early, { outputResourcePath: "dag://raw/in/", query: "SELECT 1" });
  const checked = Promise.withResolvers<undefined>();
  const split = { inputObjectKeys: ["dag://raw/in/a.csv"], outputDatabase: "shop", outputTable: "orders" };
  const time = steps(
    () => register(urn("SplitTable", "late"), split, checked.promise),
    ...Array.from({ length: 50 }, () => () => {}),
    () => checked.resolve(undefined),
  );
  await expect(overlaps.requireNoConflict(early, time)).rejects.toThrow(
    'SelectQuery "early" writes to dag://raw/in/, which contains the input dag://raw/in/a.csv of SplitTable "late"',
  );
  expect(time.left).toEqual([]);
});

test("requireNoConflict: ends when nothing has come for a moment", async () => {
  const overlaps = new ProgramOverlaps();
  expect(await overlaps.check(early, { outputResourcePath: "dag://raw/in/", query: "SELECT 1" })).toEqual([]);
  await overlaps.requireNoConflict(early, steps());
  const [failure] = await overlaps.check(urn("SelectQuery", "late"), { outputResourcePath: "dag://raw/in/" });
  expect(failure).toMatchObject({ property: "outputResourcePath" });
  await expect(overlaps.requireNoConflict(early, steps())).rejects.toBeInstanceOf(OverlapError);
});
