import { expect, test } from "vitest";
import { RunReport } from "../../../../../provider/lifecycles/freshness/run-report";

const urn = (name: string) => `urn:pulumi:dev::program::dag:index:SelectQuery::${name}`;

test("preview: a result that was not compared after a refusal is not counted as kept", () => {
  const report = new RunReport();
  for (const name of ["a", "b", "c"]) report.checked(urn(name), { cluster: "demo", exists: true });
  report.compared(urn("a"));
  report.ended(urn("b"), "refused");
  expect(report.lines()).toEqual(["cluster demo: no query is to run; 1 refused; 1 result is kept; 1 not compared"]);
});
