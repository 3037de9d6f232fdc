import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { startService, TestStack } from "../provider/harness";
import { frontEnds } from "./front-ends";

describe.each(frontEnds)("layers of results, $name", (frontEnd) => {
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
      const reading = (query: pulumi.Input<string>, name: string) =>
        frontEnd.query(name, { clusterName: "demo", query, outputResourcePath: `dag://mart/${name}/`, resultRows: 10 });
      stack.program = () => {
        const names = frontEnd.table("names", {
          clusterName: "demo",
          inputObjectKeys: ["dag://raw/names.csv"],
          outputDatabase: "mart",
          outputTable: "raw_names",
          schema: "string code, string name",
        });
        frontEnd.query("layer", {
          clusterName: "demo",
          query: pulumi.interpolate`SELECT code, name FROM ${names.qualifiedName}`,
          outputResourcePath: `dag://mart/${folder}/`,
          outputFormat: format,
        });
        const rows = reading(`SELECT code, name FROM mart.${folder} ORDER BY code`, "read").result;
        const count = reading(`SELECT count(*) AS n FROM mart.${folder}`, "count").result;
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
