import { expect, test } from "vitest";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
import { submittedLabel } from "../../../../../provider/lifecycles/queries/submission-token";
import { selectQuery, type SelectQueryInputs } from "../../../../../provider/lifecycles/resources/select-query";
import { testContext, until, type TestContext } from "../context";
import { MemoryStorage } from "../memory-storage";

const inputs: SelectQueryInputs = {
  clusterName: "demo",
  query: "SELECT a FROM db.t",
  outputResourcePath: "dag://out/a/",
  label: "daily",
};

/** A run that replaces query 1, after a killed run has submitted query 2 for the same replacement. */
const afterKill = async (storage?: MemoryStorage) => {
  const context = testContext({ programTables: new ProgramTables(), ...(storage && { storage }) });
  const { service, urn, programTables } = context;
  const { clusterName, query, outputResourcePath: location, label } = inputs;
  const identity = { clusterName, query, location, outputFormat: "csv", label, triggers: undefined };
  service.add("select", { ...inputs, label: "daily#000000000000" });
  service.add("select", { ...inputs, label: submittedLabel(label, { urn, inputs: identity }) });
  await until(() => service.records.every(({ status }) => status === "finished"));
  programTables!.hasQuery(urn, 1);
  programTables!.replaces(1, { urn, deletionPolicy: "keep", etag: undefined });
  return context;
};

test.each([undefined, new MemoryStorage({ "dag://out/a/000000_0": "1\n" })])(
  "a replacement whose query a killed process submitted and that has finished: its result is adopted (storage: %o)",
  async (storage) => {
    const context = await afterKill(storage);
    expect(await selectQuery.create(inputs, context)).toMatchObject({ id: "2", adopted: true });
    expect(context.service.count("submitSelect")).toBe(0);
    expect(context.infos[0]).toContain("query 2 of an interrupted run is identical and has finished");
  },
);

test.each([
  [
    "another query has published there since",
    ({ service }) => service.add("select", { ...inputs, label: "by hand", status: "finished" }),
  ],
  ["it is another access key's", ({ service }) => Object.assign(service.records[1]!, { accessKeyId: "OTHER" })],
  ["it failed", ({ service }) => service.finish(2, "error")],
  [
    "it is the one that is replaced",
    ({ programTables, urn }) => {
      programTables!.hasQuery(urn, 2);
      programTables!.replaces(2, { urn, deletionPolicy: "keep", etag: undefined });
    },
  ],
  ["its resource is not replaced", ({ programTables, urn }) => programTables!.hasQuery(urn, 9)],
] as [string, (context: TestContext) => unknown][])(
  "a finished query of a killed process is not adopted: %s",
  async (_, change) => {
    const context = await afterKill();
    change(context);
    expect((await selectQuery.create(inputs, context)).adopted).toBe(false);
  },
);

test("a finished query of a killed process is not adopted when its objects are gone", async () => {
  const context = await afterKill(new MemoryStorage({}));
  expect((await selectQuery.create(inputs, context)).adopted).toBe(false);
});
