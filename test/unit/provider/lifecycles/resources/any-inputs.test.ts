import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
import { Run } from "../../../../../provider/lifecycles/freshness/run";
import { unknown, type Lifecycle } from "../../../../../provider/lifecycles";
import { ProgramOverlaps } from "../../../../../provider/lifecycles/overlap/program-overlaps";
import { clusterLogExport } from "../../../../../provider/lifecycles/resources/cluster-log-export";
import { clusterRestart } from "../../../../../provider/lifecycles/resources/cluster-restart";
import { selectQuery } from "../../../../../provider/lifecycles/resources/select-query";
import { splitTable } from "../../../../../provider/lifecycles/resources/split-table";
import { checkOptions, testContext } from "../context";
import { inputs as table } from "./split-table-inputs";

const select = { clusterName: "demo", query: "SELECT a FROM db.t", outputResourcePath: "dag://out/a/" };
const kinds: readonly (readonly [Lifecycle<never, never>, object])[] = [
  [splitTable as never, table],
  [selectQuery as never, select],
  [clusterRestart as never, { clusterName: "demo" }],
  [clusterLogExport as never, { clusterName: "demo", outputLogPath: "dag://logs/demo" }],
];

const leaf = fc.oneof(
  fc.constantFrom(unknown, null, undefined, "", "dag://a/b", "dag://a/*.csv", "bigint a", "5m", 0, 1.5, true),
  fc.string(),
  fc.double(),
);
const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(fc.string(), leaf, { maxKeys: 3 }));

const state = {
  queryId: 7,
  status: "finished",
  location: "dag://out/a/",
  qualifiedName: "out.a",
  result: { etag: "e" },
};

/** Compares an existing resource with its new inputs, as the front ends do. */
async function compare(lifecycle: Lifecycle<never, never>, urn: string, inputs: object, news: object): Promise<void> {
  const run = new Run();
  run.checked({ urn, secret: false }, lifecycle as never, news, inputs);
  const diff = lifecycle.diff({ inputs, state } as never, news as never);
  run.compared({ urn, secret: false }, diff, { inputs, state }, news);
  const context = { ...testContext(), urn, programTables: run.tables };
  await lifecycle.othersObjects?.("7", { inputs, state } as never, news as never, context);
}

describe.each(kinds.map(([lifecycle, inputs]) => ({ name: lifecycle.name, lifecycle, inputs })))(
  "$name",
  ({ name, lifecycle, inputs }) => {
    const given = fc.dictionary(fc.constantFrom(...Object.keys(lifecycle.properties.inputs)), value, { maxKeys: 3 });

    test("answers with failures, whatever the type of an input is", async () => {
      const property = fc.asyncProperty(given, fc.boolean(), async (changes, exists) => {
        const news = { ...inputs, ...changes };
        const programTables = new ProgramTables();
        const { failures, inputs: checked } = lifecycle.check(news, {
          ...checkOptions,
          programTables,
          ...(exists && { olds: inputs }),
        });
        const urn = `urn:pulumi:dev::unit::dag:index:${name}::one`;
        for (const failure of failures) expect(failure.reason).not.toBe("");
        if (failures.length > 0) return;
        await new ProgramOverlaps().check(urn, checked as object);
        if (exists) await compare(lifecycle, urn, inputs, checked as object);
      });
      await fc.assert(property, { numRuns: 500 });
    });

    test.each(Object.keys(lifecycle.properties.inputs))("compares a resource whose %s is unknown", async (input) => {
      const urn = `urn:pulumi:dev::unit::dag:index:${name}::one`;
      const news = { ...inputs, [input]: unknown };
      const { inputs: checked, failures } = lifecycle.check(news, { ...checkOptions, olds: inputs });
      expect(failures).toEqual([]);
      await compare(lifecycle, urn, inputs, checked as object);
    });
  },
);
