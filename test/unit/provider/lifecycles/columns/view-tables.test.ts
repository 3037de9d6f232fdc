import { expect, test } from "vitest";
import { ServiceTables } from "../../../../../provider/lifecycles/columns/service-tables";
import { warnOfViews } from "../../../../../provider/lifecycles/columns/view-tables";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";

/** Returns the warnings for a statement, in a program that makes the table `lake.visits`. */
async function warningsOf(query: string, secret = false): Promise<string[]> {
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const views = [
    { view: "daily", query: "SELECT count(*) AS n FROM lake.visits" },
    { view: "others", query: "SELECT * FROM lake.other" },
  ];
  const client = {
    checkStatement: () => Promise.reject(new Error("not needed here")),
    listTables: ({ database = "" }) => Promise.resolve({ database, tables: [], views }),
  };
  const programTables = new ProgramTables();
  const made = { urn: "urn:visits", generation: "1", exists: true, columns: () => undefined, mayBeDeclared: false };
  programTables.add("dag://lake/visits/", made);
  await warnOfViews(query, { programTables, serviceTables: new ServiceTables(client, warn), secret, warn });
  return warnings;
}

test("a view that reads a table of the program: the table is named, and what to do", async () => {
  expect(await warningsOf("SELECT n FROM lake.daily")).toEqual([
    "the view lake.daily depends on lake.visits: the query does not run again when that changes. Read the table itself, or set " +
      '"triggers" to a value of its resource, such as its queryId',
  ]);
});

test("a view of other tables, a table of the program, and a table that nobody lists: no warning", async () => {
  expect(await warningsOf("SELECT * FROM lake.others JOIN lake.visits JOIN lake.unknown")).toEqual([]);
});

test("a secret statement: no name is printed", async () => {
  const [warning] = await warningsOf("SELECT n FROM lake.daily", true);
  expect(warning).toContain("a view that the query reads depends on tables of this program");
});
