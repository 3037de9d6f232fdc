import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
import { unknown, type Lifecycle } from "../../../../../provider/lifecycles";
import { ProgramOverlaps } from "../../../../../provider/lifecycles/overlap/program-overlaps";
import { clusterLogExport } from "../../../../../provider/lifecycles/resources/cluster-log-export";
import { clusterRestart } from "../../../../../provider/lifecycles/resources/cluster-restart";
import { selectQuery } from "../../../../../provider/lifecycles/resources/select-query";
import { splitTable } from "../../../../../provider/lifecycles/resources/split-table";
import { checkOptions } from "../context";
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

describe.each(kinds.map(([lifecycle, inputs]) => ({ name: lifecycle.name, lifecycle, inputs })))(
  "$name: check",
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
        if (failures.length === 0) await new ProgramOverlaps().check(urn, checked as object);
      });
      await fc.assert(property, { numRuns: 500 });
    });
  },
);
