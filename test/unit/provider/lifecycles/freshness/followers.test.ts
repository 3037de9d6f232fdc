/** Results that are kept although no resource makes a table that they follow any more. */
import { expect, test } from "vitest";
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

/** Checks the queries as one run does, and returns its warnings. */
function warningsOf(
  queries: readonly (readonly [name: string, news: SelectQueryInputs, olds?: SelectQueryInputs])[],
  { secret = false, refused = false } = {},
) {
  const run = new Run();
  const checked = queries.map(([name, news, olds]) => {
    const options = { ...checkOptions, urn: urn(name), secret, olds, programTables: run.tables };
    const { inputs } = selectQuery.check({ ...news }, options);
    run.checked(urn(name), selectQuery, inputs, olds);
    return inputs as SelectQueryInputs;
  });
  if (refused) run.refused(urn(queries[0]![0]));
  return { warnings: run.warnings(), checked };
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
    'SelectQuery "report" reads shop.cleaned, which a resource of the program made when its query ran, and no resource of this run makes: its result is kept, and nothing runs it again. Read what the program makes now, or set rerunWithTables: false to keep the result (a run with --target knows only its targets)',
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

test("nothing is reported while the table is made, whatever the order of the resources", () => {
  const both = [
    ["cleaned", cleaned, oldCleaned],
    ["report", report, oldReport],
  ] as const;
  expect(warningsOf(both).warnings).toEqual([]);
  expect(warningsOf(both.toReversed()).warnings).toEqual([]);
});

test("nothing is reported of a result that is kept on purpose, or of a run that was refused", () => {
  const kept = { ...report, rerunWithTables: false };
  expect(warningsOf([["report", kept, oldReport]]).warnings).toEqual([]);
  expect(warningsOf([["report", report, oldReport]], { refused: true }).warnings).toEqual([]);
});

test("a query with a secret input is named without its table", () => {
  expect(warningsOf([["report", report, oldReport]], { secret: true }).warnings[0]).toMatch(
    /^SelectQuery "report" reads a table, which/,
  );
});
