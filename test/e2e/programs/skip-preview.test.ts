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
  /** The number of runs that have ended. */
  let ended = 0;

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
    return () => stack[Symbol.asyncDispose]();
  });

  const split = () =>
    frontEnd.table(
      "birds",
      birds("wildlife", { outputTable: table, inputObjectKeys: [input], deletionPolicy: "keep" }),
    );
  const up = async (program: TestStack["program"]) => {
    stack.program = program;
    const run = await stack.up();
    ended += 1;
    return run;
  };
  const submitted = async () => (await queriesOf(service)).length - before;
  const rowsOfTable = () =>
    readFileSync(join(service.bucketsDirectory, `wildlife/${table}/000000_0`), "utf8").toString();
  /** Returns false when the run of the program has ended meanwhile: what it would register then fails the next one. */
  const pause = async () => {
    const earlier = ended;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return ended === earlier;
  };

  test.each(["", "part/"])(
    "a query of the folder of a table, %j below it, that comes before it does not run",
    async (inner) => {
      expect((await up(() => void split())).ok).toBe(true);
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

  test("a query of the folder of a table that the program makes much later does not run", async () => {
    expect((await up(() => void split())).ok).toBe(true);
    const run = await up(async () => {
      frontEnd.query("early", number(1, `dag://wildlife/${table}/`));
      if (await pause()) split();
    });
    expect(run.ok).toBe(false);
    expect(errorsOf(run)).toContain(`the table wildlife.${table}`);
    expect(await submitted()).toBe(1);
    expect(rowsOfTable()).toBe("owl,2\nwren,1\n");
  });

  test("a query whose folder has the input of an existing table does not run, whenever the table comes", async () => {
    expect((await up(() => void split())).ok).toBe(true);
    const run = await up(async () => {
      frontEnd.query("early", number(1, `dag://raw/in-${round}/`));
      if (await pause()) split();
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
    // What it registers while its run fails can be an error of the next run of this process, of which this is one.
    await up(() => undefined);
  });
});
