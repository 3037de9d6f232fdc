/** Results that are kept although no resource makes a table that they follow any more. */
import { expect, test } from "vitest";
import { unknown } from "../../../../../provider/lifecycles";
import { selectQuery, type SelectQueryInputs } from "../../../../../provider/lifecycles/resources/select-query";
import { Run } from "../../../../../provider/lifecycles/freshness/run";
import { checkOptions } from "../context";

const urn = (name: string) => `urn:pulumi:dev::shop::dag:index:SelectQuery::${name}`;
const cleaned: SelectQueryInputs = {
  clusterName: "demo",
  query: "SELECT 1 AS amount",
  outputResourcePath: "dag://shop/cleaned/",
};
const report: SelectQueryInputs = {
  clusterName: "demo",
  query: "SELECT sum(amount) AS total FROM shop.cleaned",
  outputResourcePath: "dag://shop/report/",
};

/** Checks and compares the queries as one run does, and returns its warnings. */
function warningsOf(
  queries: readonly (readonly [name: string, news: SelectQueryInputs, olds?: SelectQueryInputs])[],
  { secret = false } = {},
) {
  const run = new Run();
  const checked = queries.map(([name, news, olds]) => {
    const options = { ...checkOptions, urn: urn(name), secret, olds, programTables: run.tables };
    const { inputs } = selectQuery.check({ ...news }, options);
    run.checked({ urn: urn(name), secret }, selectQuery, inputs, olds);
    if (olds) {
      const diff = selectQuery.diff({ inputs: olds }, inputs as SelectQueryInputs);
      run.compared(
        { urn: urn(name), secret },
        diff,
        { inputs: olds, state: { queryId: 1, status: "finished" } },
        inputs,
      );
    }
    return inputs as SelectQueryInputs;
  });
  const found = run.tables.earlyReaders.take().filter(({ text }) => text.includes("nothing runs it again"));
  return { warnings: found.map((each) => `${each.urn.split("::").at(-1)}: ${each.text}`), checked };
}

/** The inputs as a first run stores them. */
const [oldCleaned, oldReport] = warningsOf([
  ["cleaned", cleaned],
  ["report", report],
]).checked as [SelectQueryInputs, SelectQueryInputs];

const moved = { ...cleaned, outputResourcePath: "dag://shop/cleaned_v2/" };

test("a query whose table moves to another folder is reported, in that run and in the next one", () => {
  const first = warningsOf([
    ["cleaned", moved, oldCleaned],
    ["report", report, oldReport],
  ]);
  expect(first.warnings).toEqual([
    "report: it reads shop.cleaned, which a resource of the program made when its query ran, and no resource that this run has registered so far makes, or one of another provider configuration makes it: its result is kept, and nothing runs it again. Read what the program makes now, or set rerunWithTables: false to keep the result (a run with --target or --exclude registers a part of the program; the next one without may run it again)",
  ]);
  const [newCleaned, newReport] = first.checked as [SelectQueryInputs, SelectQueryInputs];
  const second = warningsOf([
    ["report", report, newReport],
    ["cleaned", moved, newCleaned],
  ]);
  expect(second.warnings).toEqual(first.warnings);
});

test("a query whose table is removed from the program is reported", () => {
  expect(warningsOf([["report", report, oldReport]]).warnings).toHaveLength(1);
});

test("nothing is reported while the table is made, or when the query reads another one and runs again", () => {
  const made = ["cleaned", cleaned, oldCleaned] as const;
  expect(warningsOf([made, ["report", report, oldReport]]).warnings).toEqual([]);
  const other = { ...report, query: "SELECT sum(amount) AS total FROM shop.cleaned_v2" };
  expect(
    warningsOf([
      ["cleaned", moved, oldCleaned],
      ["report", other, oldReport],
    ]).warnings,
  ).toEqual([]);
});

test("nothing is reported of a result that is kept on purpose", () => {
  const kept = { ...report, rerunWithTables: false };
  expect(warningsOf([["report", kept, oldReport]]).warnings).toEqual([]);
});

test("a query with a secret input is named without its table", () => {
  expect(warningsOf([["report", report, oldReport]], { secret: true }).warnings[0]).toMatch(
    /^report: it reads a table, which/,
  );
});

test("a query of a result whose folder is not known yet may run again, and is not said to be kept", () => {
  const run = new Run();
  const compared = (name: string, given: object, olds: SelectQueryInputs, location: string) => {
    const options = { ...checkOptions, urn: urn(name), olds, programTables: run.tables };
    const inputs = selectQuery.check(given, options).inputs as SelectQueryInputs;
    const resource = { urn: urn(name), secret: false };
    run.checked(resource, selectQuery, inputs, olds);
    const old = { inputs: olds, state: { queryId: 1, status: "finished", location } };
    return run.compared(resource, selectQuery.diff({ inputs: olds }, inputs), old, inputs).reason;
  };
  compared("cleaned", { ...cleaned, outputResourcePath: unknown }, oldCleaned, "dag://shop/cleaned/");
  expect(compared("report", report, oldReport, "dag://shop/report/")).toBe(
    "may run again: whether the program still makes shop.cleaned is not known yet",
  );
  expect(run.tables.earlyReaders.take()).toEqual([]);
  expect(run.report.lines()).toEqual([
    expect.stringMatching(
      /^cluster demo: 2 queries may run again; .* may be deleted: dag:\/\/shop\/report\/; 1 output/,
    ),
  ]);
});
