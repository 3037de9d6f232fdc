/** What a stack finds that its state does not tell: a table that an earlier run has made, and objects that nobody listed. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { objectsUnder, queriesOf } from "../provider/harness";
import { birds, frontEndOfToday, number, objects } from "./front-ends";
import { useRounds } from "./rounds";

describe.each(frontEndOfToday(1))("what the state does not tell, $name", (frontEnd) => {
  const round = useRounds(8);
  const { up } = round;

  /** Leaves the state as a run does that was killed after its query was submitted. */
  const forget = async (name: string) => {
    const state = await round.stack.stack.exportStack();
    const { resources } = state.deployment as { resources: { readonly urn: string }[] };
    const kept = resources.filter(({ urn }) => !urn.endsWith(`::${name}`));
    await round.stack.stack.importStack({ ...state, deployment: { ...state.deployment, resources: kept } });
  };
  const newest = async () => (await queriesOf(round.service)).at(-1)!.id;
  const file = (...path: string[]) => join(round.service.bucketsDirectory, ...path);

  test("table of a killed run with other triggers: it is deleted and made again, as the preview says", async () => {
    const make = (day: number) => () => void frontEnd.table("nightly", birds(round.database, { triggers: day }));
    await up(make(1));
    const earlier = await newest();
    await forget("nightly");
    writeFileSync(file("raw/birds.csv"), "kite,9\n");
    round.stack.program = make(2);
    const said = `it was created by query ${earlier} of this resource, with other triggers`;
    const preview = await round.stack.preview();
    expect(preview.text).toContain(said);
    expect(preview.text).toContain(`outputs that will be deleted: dag://${round.database}/birds/`);
    expect((await up(make(2))).text).toMatch(/1 ran, 0 adopted/);
    expect(await newest()).toBe(earlier + 1);
    expect(readFileSync(file(round.database, "birds/000000_0"), "utf8")).toBe("kite,9\n");
    expect((await round.stack.resource("nightly")).outputs).not.toHaveProperty("adopted");
    // It is the resource's own: rebuilt, and purged in the end.
    await up(make(3));
    expect((await round.stack.destroy()).text).not.toContain("are kept");
    expect(objectsUnder(round.service, `dag://${round.database}/birds/`)).toEqual([]);
    writeFileSync(file("raw/birds.csv"), objects["dag://raw/birds.csv"]);
  });

  /** Runs two programs, and leaves the state as a run of the second one does that was killed after its query was submitted. */
  const killed = async (name: string, first: () => void, second: () => void) => {
    await up(first);
    const state = await round.stack.stack.exportStack();
    const { resources } = state.deployment as { resources: { readonly urn: string }[] };
    await up(second);
    // The engine had deleted the old resource, and has not stored the new one.
    const pending = resources.map((one) =>
      one.urn.endsWith(`::${name}`) ? { ...one, pendingReplacement: true } : one,
    );
    await round.stack.stack.importStack({ ...state, deployment: { ...state.deployment, resources: pending } });
    return newest();
  };

  test.each([
    ["triggers", (day: number) => ({ triggers: day })],
    ["inputs", (day: number) => ({ inputObjectKeys: [`dag://raw/day-${day}.csv`] })],
  ])(
    "table of a killed replacement, and other %s again: it is deleted and made again, as the preview says",
    async (_, of) => {
      for (const day of [1, 2, 3]) writeFileSync(file(`raw/day-${day}.csv`), `kite,${day}\n`);
      const make = (day: number) => () => void frontEnd.table("nightly", birds(round.database, of(day)));
      const earlier = await killed("nightly", make(1), make(2));
      round.stack.program = make(3);
      const preview = await round.stack.preview();
      expect(preview.text).toContain(`was created by query ${earlier} of this resource, with other triggers`);
      expect(preview.text).toMatch(/1 query will run.*outputs that will be deleted: dag:/);
      expect((await up(make(3))).text).toMatch(/1 ran, 0 adopted/);
      expect(await newest()).toBe(earlier + 1);
      expect((await round.stack.resource("nightly")).outputs).not.toHaveProperty("adopted");
    },
  );

  test("table of a killed replacement, and the inputs of before: it is deleted and made again, as the preview says", async () => {
    for (const day of [1, 2]) writeFileSync(file(`raw/day-${day}.csv`), `kite,${day}\n`);
    const make = (day: number) => () =>
      void frontEnd.table("nightly", birds(round.database, { inputObjectKeys: [`dag://raw/day-${day}.csv`] }));
    const lost = await killed("nightly", make(1), make(2));
    round.stack.program = make(1);
    expect((await round.stack.preview()).text).toContain(`was created by query ${lost} of this resource, with other`);
    expect((await up(make(1))).text).toMatch(/1 ran, 0 adopted/);
    expect(readFileSync(file(round.database, "birds/000000_0"), "utf8")).toBe("kite,1\n");
    expect((await round.stack.resource("nightly")).outputs).not.toHaveProperty("adopted");
  });

  test("table of a killed run, with keep or with an object of others: nothing is deleted", async () => {
    const make = (more: object) => () => void frontEnd.table("nightly", birds(round.database, more));
    await up(make({ triggers: 1 }));
    await forget("nightly");
    await up(make({ triggers: 2, deletionPolicy: "keep" }));
    expect((await round.stack.resource("nightly")).outputs).not.toHaveProperty("adopted");
    await forget("nightly");
    writeFileSync(file(round.database, "birds/mine.csv"), "mine,1\n");
    round.stack.program = make({ triggers: 3 });
    const refused = await round.stack.up();
    expect(refused.ok).toBe(false);
    expect(refused.text).toMatch(/is not adopted: query \d+ wrote its result to \S+, and not \S+mine.csv/);
    expect(existsSync(file(round.database, "birds/mine.csv"))).toBe(true);
    rmSync(file(round.database, "birds"), { recursive: true });
  });

  test("result of a killed replacement, changed by others since: it is not adopted, and what goes is named", async () => {
    const make = (value: number) => () => void frontEnd.query("one", number(value, `dag://${round.database}/one/`));
    const lost = await killed("one", make(1), make(2));
    writeFileSync(file(round.database, "one/mine.csv"), "666\n");
    round.stack.program = make(2);
    const said = new RegExp(`the new query deletes all objects in .* query ${lost}: .*mine.csv`);
    expect((await round.stack.preview()).text).toMatch(said);
    const run = await up(make(2));
    expect(run.text).toMatch(said);
    expect(run.text).toMatch(/1 ran, 0 adopted/);
    expect(readFileSync(file(round.database, "one/000000_0"), "utf8")).toBe("2\n");
    expect(existsSync(file(round.database, "one/mine.csv"))).toBe(false);
  });

  test("objects that others have put beside what a run without dag:storage made: no purge deletes them", async () => {
    const make = () => {
      frontEnd.query("one", number(1, `dag://${round.database}/one/`, { resultRows: undefined }));
      frontEnd.table("birds", birds(round.database));
    };
    const keep = () => {
      frontEnd.query(
        "one",
        number(1, `dag://${round.database}/one/`, { resultRows: undefined, deletionPolicy: "keep" }),
      );
      frontEnd.table("birds", birds(round.database, { deletionPolicy: "keep" }));
    };
    await round.stack.stack.removeConfig("dag:storage");
    await up(keep);
    for (const folder of ["one", "birds"]) writeFileSync(file(round.database, folder, "person.csv"), "mine\n");
    round.stack.stack.workspace.envVars["DAG_STORAGE"] = `file:${round.service.bucketsDirectory}`;
    await up(make);
    const destroyed = await round.stack.destroy();
    for (const folder of ["one", "birds"]) {
      expect(destroyed.text).toMatch(
        new RegExp(`the objects in dag://${round.database}/${folder}/ are kept, although .*person.csv`),
      );
      expect(existsSync(file(round.database, folder, "person.csv"))).toBe(true);
    }
  });

  test("objects that others have put into the folder of a result made without dag:storage: preview and up say that they go", async () => {
    const make = (value: number) => () =>
      void frontEnd.query(
        "one",
        number(value, `dag://${round.database}/one/`, { deletionPolicy: "keep", resultRows: undefined }),
      );
    await round.stack.stack.removeConfig("dag:storage");
    await up(make(1));
    writeFileSync(file(round.database, "one/person.csv"), "mine\n");
    round.stack.stack.workspace.envVars["DAG_STORAGE"] = `file:${round.service.bucketsDirectory}`;
    round.stack.program = make(2);
    const said = new RegExp(`the new query deletes all objects in dag://${round.database}/one/.*person.csv`);
    expect((await round.stack.preview()).text).toMatch(said);
    expect((await up(make(2))).text).toMatch(said);
  });
});
