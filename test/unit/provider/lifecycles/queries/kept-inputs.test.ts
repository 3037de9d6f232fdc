import { expect, test } from "vitest";
import { KeptResults } from "../../../../../provider/lifecycles/freshness/kept-results";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
import { warnOfOthersResults } from "../../../../../provider/lifecycles/queries/kept-inputs";
import { listObjects } from "../../../../../provider/lifecycles/queries/results";
import { testContext } from "../context";
import { MemoryStorage } from "../memory-storage";

const folder = "dag://mart/daily/";

/** Returns the warnings for a query when these objects are in the folder of the program's result. */
async function warningsOf(
  query: string,
  objects: Record<string, string>,
  later?: string,
  secret = false,
  writer = "SelectQuery::daily",
) {
  const published = await listObjects(new MemoryStorage({ [`${folder}000000_0`]: "1\n" }), folder);
  const keptResults = new KeptResults();
  keptResults.add({ urn: `urn:pulumi:dev::p::dag:index:${writer}`, queryId: 1, folder, objects: published });
  const context = testContext({ storage: new MemoryStorage(objects), secret });
  for (const outputResourcePath of [folder, ...(later === undefined ? [] : [later])]) {
    context.service.finish(context.service.add("select", { outputResourcePath }).id);
  }
  await warnOfOthersResults(query, { ...context, keptResults });
  return context.warnings;
}

const others = { [`${folder}000000_0`]: "66\n" };

test("a query that reads what another query has written since is told which", async () => {
  expect(await warningsOf("SELECT * FROM mart.Daily a JOIN mart.daily b ON a.n = b.n", others, folder)).toEqual([
    `it reads ${folder}, where other objects are now than SelectQuery "daily" has written: query 2 has published there ` +
      `since. Change "triggers" of SelectQuery "daily" to write them again, or give one of the two stacks another folder`,
  ]);
});

test("a query that reads a table with objects of others is told no triggers, which make no such table again", async () => {
  const beside = { [`${folder}000000_0`]: "1\n", [`${folder}mine.csv`]: "2\n" };
  const [said] = await warningsOf("SELECT * FROM mart.daily", beside, undefined, false, "SplitTable::daily");
  expect(said).toContain(
    `. For SplitTable "daily": Put back what query 1 wrote and move the rest away, set another outputTable`,
  );
  expect(said).not.toContain("triggers");
});

test("so is one whose objects no query has put there, or were deleted", async () => {
  const beside = { [`${folder}000000_0`]: "1\n", [`${folder}mine.csv`]: "2\n" };
  expect(await warningsOf("SELECT * FROM mart.daily", beside)).toEqual([
    expect.stringContaining(`: query 1 did not write ${folder}mine.csv. Change "triggers"`),
  ]);
  expect(await warningsOf("SELECT * FROM mart.daily", {})).toEqual([
    `it reads ${folder}, whose objects were deleted. Run "pulumi up --refresh", so that SelectQuery "daily" makes them again`,
  ]);
});

test("a query that reads what this run has written is told nothing, whichever resource has written it", async () => {
  const urn = "urn:pulumi:dev::p::dag:index:SelectQuery::daily";
  const context = testContext({ storage: new MemoryStorage(others) });
  const keptResults = new KeptResults();
  keptResults.add({ urn, queryId: 1, folder, objects: { objects: [], etag: "before" } });
  const said = async (programTables?: ProgramTables) => {
    await warnOfOthersResults("SELECT * FROM mart.daily", { ...context, keptResults, programTables });
    return context.warnings.splice(0);
  };
  const programTables = new ProgramTables();
  expect(await said(programTables)).toHaveLength(1);
  programTables.hold(folder, false);
  expect(await said(programTables)).toEqual([]);
  expect(await said()).toHaveLength(1);
  keptResults.remove(urn);
  expect(await said()).toEqual([]);
});

test("a query that reads what the program has written, or another table, or has secrets, is told nothing", async () => {
  const own = { [`${folder}000000_0`]: "1\n" };
  expect(await warningsOf("SELECT * FROM mart.daily", own)).toEqual([]);
  expect(await warningsOf("SELECT * FROM mart.weekly", others, folder)).toEqual([]);
  expect(await warningsOf("SELECT * FROM mart.daily", others, folder, true)).toEqual([]);
});
