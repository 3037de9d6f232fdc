/** `pulumi up --skip-preview`, which `up` of the Automation API is: no query deletes what another resource owns. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { diagnostics, objectsUnder, queriesOf, startService, TestStack, type Run } from "../provider/harness";
import { birds, frontEndOfToday, number } from "./front-ends";

const errorsOf = (run: Run) =>
  diagnostics(run)
    .filter(({ severity }) => severity === "error")
    .map(({ message }) => message)
    .join("\n");

describe.each(frontEndOfToday(1))("up --skip-preview, $name", (frontEnd) => {
  let service: TestService;
  let stack: TestStack;
  let round = 0;
  let table = "";
  let input = "";
  let before = 0;
  /** Called when a run has ended. */
  let afterRun = () => {};

  beforeAll(async () => {
    const rounds = Array.from({ length: 12 }, (_, n) => n + 1);
    service = await startService({
      objects: Object.fromEntries(rounds.map((n) => [`dag://raw/in-${n}/birds.csv`, "owl,2\nwren,1\n"])),
      buckets: ["wildlife"],
    });
  });
  afterAll(() => service?.close());
  beforeEach(async () => {
    round += 1;
    table = `birds_${round}`;
    input = `dag://raw/in-${round}/birds.csv`;
    before = (await queriesOf(service)).length;
    stack = await TestStack.create(service);
    return async () => {
      // What a program registers while its run fails can be an error of the next run of this process.
      await up(() => undefined);
      await stack[Symbol.asyncDispose]();
    };
  });

  const split = () =>
    frontEnd.table(
      "birds",
      birds("wildlife", { outputTable: table, inputObjectKeys: [input], deletionPolicy: "keep" }),
    );
  const up = async (program: TestStack["program"]) => {
    stack.program = program;
    const run = await stack.up();
    afterRun();
    return run;
  };
  const make = async () => {
    const run = await up(() => void split());
    expect(run.ok, run.text).toBe(true);
  };
  const submitted = async () => (await queriesOf(service)).length - before;
  const rowsOfTable = () =>
    readFileSync(join(service.bucketsDirectory, `wildlife/${table}/000000_0`), "utf8").toString();
  /** For a program that fails before it registers the rest. */
  const runHasEnded = () => new Promise<void>((resolve) => (afterRun = resolve));

  test.each(["", "part/"])(
    "a query of the folder of a table, %j below it, that comes before it does not run",
    async (inner) => {
      await make();
      const run = await up(() => {
        frontEnd.query("early", number(1, `dag://wildlife/${table}/${inner}`));
        split();
      });
      expect(run.ok).toBe(false);
      expect(errorsOf(run)).toContain(`dag://wildlife/${table}/`);
      expect(errorsOf(run)).toMatch(new RegExp(`SplitTable "birds"|the table wildlife.${table}, which split query`));
      expect(await submitted()).toBe(1);
      expect(rowsOfTable()).toBe("owl,2\nwren,1\n");
    },
  );

  test("a query of the folder of a table that the program would make later does not run", async () => {
    await make();
    const run = await up(async () => {
      frontEnd.query("early", number(1, `dag://wildlife/${table}/`));
      await runHasEnded();
    });
    expect(run.ok).toBe(false);
    expect(errorsOf(run)).toContain(`the table wildlife.${table}`);
    expect(await submitted()).toBe(1);
    expect(rowsOfTable()).toBe("owl,2\nwren,1\n");
  });

  test("a query whose folder has the input of an existing table does not run, before the table comes", async () => {
    await make();
    const run = await up(async () => {
      frontEnd.query("early", number(1, `dag://raw/in-${round}/`));
      await runHasEnded();
    });
    expect(run.ok).toBe(false);
    expect(errorsOf(run)).toContain(input);
    expect(await submitted()).toBe(1);
    expect(objectsUnder(service, `dag://raw/in-${round}/`)).toEqual(["birds.csv"]);
  });

  test("a query whose folder has the input of a new table that comes after it does not run", async () => {
    const run = await up(() => {
      frontEnd.query("early", number(1, `dag://raw/in-${round}/`));
      split();
    });
    expect(run.ok).toBe(false);
    // Whichever is found first.
    const isSaid = [
      `which contains the input ${input} of SplitTable "birds"`,
      `${input}, which no query published there`,
    ];
    expect(
      isSaid.some((text) => errorsOf(run).includes(text)),
      errorsOf(run),
    ).toBe(true);
    expect(objectsUnder(service, `dag://raw/in-${round}/`)).toEqual(["birds.csv"]);
    expect((await queriesOf(service)).slice(before).filter(({ type }) => type === "select")).toEqual([]);
  });
});
