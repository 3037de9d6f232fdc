import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { startService, TestStack } from "../provider/harness";
import { frontEndOfToday } from "./front-ends";

describe.each(frontEndOfToday(1))("layers of results, $name", (frontEnd) => {
  let service: TestService;
  let stack: TestStack;

  beforeAll(async () => {
    // Texts only, one of them with what separates columns in csv.
    service = await startService({
      objects: { "dag://raw/names.csv": 'a,owl\nb,"x, ""5"""\nc,wren\n' },
      buckets: ["mart"],
    });
    stack = await TestStack.create(service);
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  test.each(["csv", "tsv"] as const)(
    "up: a %s result of texts is read with its columns and every row",
    async (format) => {
      const folder = `names_${format}`;
      stack.program = () => {
        const names = frontEnd.table("names", {
          clusterName: "demo",
          inputObjectKeys: ["dag://raw/names.csv"],
          outputDatabase: "mart",
          outputTable: "raw_names",
          schema: "string code, string name",
        });
        const layer = frontEnd.query("layer", {
          clusterName: "demo",
          query: pulumi.interpolate`SELECT code, name FROM ${names.qualifiedName}`,
          outputResourcePath: `dag://mart/${folder}/`,
          outputFormat: format,
        });
        // The plugin knows no dependency from a statement's text.
        const reading = (query: string, name: string) =>
          frontEnd.query(
            name,
            { clusterName: "demo", query, outputResourcePath: `dag://mart/${name}/`, resultRows: 10 },
            { dependsOn: layer },
          ).result;
        const rows = reading(`SELECT code, name FROM mart.${folder} ORDER BY code`, "read");
        const count = reading(`SELECT count(*) AS n FROM mart.${folder}`, "count");
        return { rows: rows.apply((result) => result?.rows), count: count.apply((result) => result?.rows) };
      };
      const run = await stack.up();
      expect(run.ok, run.text).toBe(true);
      const all = [
        ["a", "owl"],
        ["b", 'x, "5"'],
        ["c", "wren"],
      ];
      expect(run.outputs).toEqual({ rows: all, count: [["3"]] });
    },
  );
});
