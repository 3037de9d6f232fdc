/** What a stack finds that its state does not tell: a table that an earlier run has made, and objects that nobody listed. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { objectsUnder, queriesOf, startService, TestStack } from "../provider/harness";
import { birds, frontEndOfToday, number, objects } from "./front-ends";

describe.each(frontEndOfToday(1))("what the state does not tell, $name", (frontEnd) => {
  let service: TestService;
  let stack: TestStack;
  let round = 0;
  let database = "";

  beforeAll(async () => {
    const buckets = Array.from({ length: 8 }, (_, index) => `round-${index + 1}`);
    service = await startService({ objects, buckets });
  });
  beforeEach(async () => {
    round += 1;
    database = `round-${round}`;
    stack = await TestStack.create(service);
    return () => stack[Symbol.asyncDispose]();
  });
  afterAll(() => service?.close());

  const up = async (program: TestStack["program"]) => {
    stack.program = program;
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    return run;
  };
  /** Leaves the state as a run does that was killed after its query was submitted. */
  const forget = async (name: string) => {
    const state = await stack.stack.exportStack();
    const { resources } = state.deployment as { resources: { readonly urn: string }[] };
    const kept = resources.filter(({ urn }) => !urn.endsWith(`::${name}`));
    await stack.stack.importStack({ ...state, deployment: { ...state.deployment, resources: kept } });
  };
  const newest = async () => (await queriesOf(service)).at(-1)!.id;
  const file = (...path: string[]) => join(service.bucketsDirectory, ...path);

  test("table of a killed run with other triggers: it is deleted and made again, as the preview says", async () => {
    const make = (day: number) => () => void frontEnd.table("nightly", birds(database, { triggers: day }));
    await up(make(1));
    const earlier = await newest();
    await forget("nightly");
    writeFileSync(file("raw/birds.csv"), "kite,9\n");
    stack.program = make(2);
    const said = `it was created by query ${earlier} of this resource, with other triggers`;
    const preview = await stack.preview();
    expect(preview.text).toContain(said);
    expect(preview.text).toContain(`outputs that will be deleted: dag://${database}/birds/`);
    expect((await up(make(2))).text).toMatch(/1 ran, 0 adopted/);
    expect(await newest()).toBe(earlier + 1);
    expect(readFileSync(file(database, "birds/000000_0"), "utf8")).toBe("kite,9\n");
    expect((await stack.resource("nightly")).outputs).not.toHaveProperty("adopted");
    // It is the resource's own: rebuilt, and purged in the end.
    await up(make(3));
    expect((await stack.destroy()).text).not.toContain("are kept");
    expect(objectsUnder(service, `dag://${database}/birds/`)).toEqual([]);
    writeFileSync(file("raw/birds.csv"), objects["dag://raw/birds.csv"]);
  });

  /** Runs two programs, and leaves the state as a run of the second one does that was killed after its query was submitted. */
  const killed = async (name: string, first: () => void, second: () => void) => {
    await up(first);
    const state = await stack.stack.exportStack();
    const { resources } = state.deployment as { resources: { readonly urn: string }[] };
    await up(second);
    // The engine had deleted the old resource, and has not stored the new one.
    const pending = resources.map((one) =>
      one.urn.endsWith(`::${name}`) ? { ...one, pendingReplacement: true } : one,
    );
    await stack.stack.importStack({ ...state, deployment: { ...state.deployment, resources: pending } });
    return newest();
  };

  test.each([
    ["triggers", (day: number) => ({ triggers: day })],
    ["inputs", (day: number) => ({ inputObjectKeys: [`dag://raw/day-${day}.csv`] })],
  ])(
    "table of a killed replacement, and other %s again: it is deleted and made again, as the preview says",
    async (_, of) => {
      for (const day of [1, 2, 3]) writeFileSync(file(`raw/day-${day}.csv`), `kite,${day}\n`);
      const make = (day: number) => () => void frontEnd.table("nightly", birds(database, of(day)));
      const earlier = await killed("nightly", make(1), make(2));
      stack.program = make(3);
      const preview = await stack.preview();
      expect(preview.text).toContain(`was created by query ${earlier} of this resource, with other triggers`);
      expect(preview.text).toMatch(/1 query will run.*outputs that will be deleted: dag:/);
      expect((await up(make(3))).text).toMatch(/1 ran, 0 adopted/);
      expect(await newest()).toBe(earlier + 1);
      expect((await stack.resource("nightly")).outputs).not.toHaveProperty("adopted");
    },
  );

  test("table of a killed run, with keep or with an object of others: nothing is deleted", async () => {
    const make = (more: object) => () => void frontEnd.table("nightly", birds(database, more));
    await up(make({ triggers: 1 }));
    await forget("nightly");
    await up(make({ triggers: 2, deletionPolicy: "keep" }));
    expect((await stack.resource("nightly")).outputs).not.toHaveProperty("adopted");
    await forget("nightly");
    writeFileSync(file(database, "birds/mine.csv"), "mine,1\n");
    stack.program = make({ triggers: 3 });
    const refused = await stack.up();
    expect(refused.ok).toBe(false);
    expect(refused.text).toMatch(/is not adopted: query \d+ wrote its result to \S+, and not \S+mine.csv/);
    expect(existsSync(file(database, "birds/mine.csv"))).toBe(true);
    rmSync(file(database, "birds"), { recursive: true });
  });

  test("result of a killed replacement, changed by others since: it is not adopted, and what goes is named", async () => {
    const make = (value: number) => () => void frontEnd.query("one", number(value, `dag://${database}/one/`));
    const lost = await killed("one", make(1), make(2));
    writeFileSync(file(database, "one/mine.csv"), "666\n");
    stack.program = make(2);
    const said = new RegExp(`the new query deletes all objects in .* query ${lost}: .*mine.csv`);
    expect((await stack.preview()).text).toMatch(said);
    const run = await up(make(2));
    expect(run.text).toMatch(said);
    expect(run.text).toMatch(/1 ran, 0 adopted/);
    expect(readFileSync(file(database, "one/000000_0"), "utf8")).toBe("2\n");
    expect(existsSync(file(database, "one/mine.csv"))).toBe(false);
  });

  test("objects that others have put beside what a run without dag:storage made: no purge deletes them", async () => {
    const make = () => {
      frontEnd.query("one", number(1, `dag://${database}/one/`, { resultRows: undefined }));
      frontEnd.table("birds", birds(database));
    };
    const keep = () => {
      frontEnd.query("one", number(1, `dag://${database}/one/`, { resultRows: undefined, deletionPolicy: "keep" }));
      frontEnd.table("birds", birds(database, { deletionPolicy: "keep" }));
    };
    await stack.stack.removeConfig("dag:storage");
    await up(keep);
    for (const folder of ["one", "birds"]) writeFileSync(file(database, folder, "person.csv"), "mine\n");
    stack.stack.workspace.envVars["DAG_STORAGE"] = `file:${service.bucketsDirectory}`;
    await up(make);
    const destroyed = await stack.destroy();
    for (const folder of ["one", "birds"]) {
      expect(destroyed.text).toMatch(
        new RegExp(`the objects in dag://${database}/${folder}/ are kept, although .*person.csv`),
      );
      expect(existsSync(file(database, folder, "person.csv"))).toBe(true);
    }
  });

  test("objects that others have put into the folder of a result made without dag:storage: preview and up say that they go", async () => {
    const make = (value: number) => () =>
      void frontEnd.query(
        "one",
        number(value, `dag://${database}/one/`, { deletionPolicy: "keep", resultRows: undefined }),
      );
    await stack.stack.removeConfig("dag:storage");
    await up(make(1));
    writeFileSync(file(database, "one/person.csv"), "mine\n");
    stack.stack.workspace.envVars["DAG_STORAGE"] = `file:${service.bucketsDirectory}`;
    stack.program = make(2);
    const said = new RegExp(`the new query deletes all objects in dag://${database}/one/.*person.csv`);
    expect((await stack.preview()).text).toMatch(said);
    expect((await up(make(2))).text).toMatch(said);
  });
});
