import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { dag, diagnostics, requestLog, startService, TestStack, type Run } from "./harness";

const { log, requests } = requestLog();
let service: TestService;
let stack: TestStack;

beforeAll(async () => {
  service = await startService({
    objects: {
      "dag://landing/birds.csv": "owl,1\n",
      "dag://landing/headed.csv": "Name,N\nowl,1\n",
      "dag://results/old/000000_0": "x\n",
    },
    buckets: ["wildlife"],
    log,
  });
  stack = await TestStack.create(service);
});

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await service?.close();
});

const errorsOf = (run: Run) =>
  diagnostics(run)
    .filter(({ severity }) => severity === "error")
    .map(({ message }) => message)
    .join("\n");

const select = (name: string, args: Partial<import("../../../provider").SelectQueryArgs>) =>
  new dag.SelectQuery(name, {
    clusterName: "demo",
    query: "SELECT 1",
    outputResourcePath: `dag://results/${name}/`,
    ...args,
  });

const split = (args: Partial<import("../../../provider").SplitTableArgs> = {}) =>
  new dag.SplitTable("birds", {
    clusterName: "demo",
    inputObjectKeys: ["dag://landing/birds.csv"],
    outputDatabase: "wildlife",
    outputTable: "birds",
    ...args,
  });

describe("checks before creation", () => {
  test("preview: rejects an invalid statement, with line and column, also when a table's name is an output", async () => {
    stack.program = () => {
      const table = split();
      select("daily", { query: pulumi.interpolate`SELECT bird\nFORM ${table.qualifiedName} WHERE` });
    };
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(errorsOf(run)).toMatch(/query cannot run: line 2, column \d+/);
    expect(errorsOf(run)).toContain("FORM wildlife.birds WHERE");
  });

  test.each([
    ["a number", () => select("any", { query: 5 as never }), /query 5 is not valid: it must be a HiveQL SELECT/],
    ["a list", () => select("any", { query: ["SELECT 1"] as never }), /query .* must be a HiveQL SELECT/],
    ["a number as a folder", () => select("any", { outputResourcePath: 5 as never }), /outputResourcePath 5 /],
    [
      "nothing at all",
      () => new dag.SelectQuery("any", undefined as never),
      /clusterName [^]*query [^]*outputResource/,
    ],
    ["no export", () => new dag.ClusterLogExport("any", undefined as never), /clusterName [^]*outputLogPath /],
  ])("preview: %s from a program without types is refused, and the input named", async (_what, create, message) => {
    stack.program = () => void create();
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    const said = diagnostics(run).filter(({ urn }) => urn.endsWith("::any"));
    expect(said.map((each) => each.message).join("\n")).toMatch(message);
    expect(run.text).not.toMatch(/is not a function|Cannot read properties/);
  });

  test("preview: rejects an invalid schema, naming field, value and rule", async () => {
    stack.program = () => {
      split({ schema: "text name" });
    };
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(errorsOf(run)).toContain('schema cannot be used: it uses the type "text"');
  });

  test("preview: rejects two resources that write to the same folder", async () => {
    stack.program = () => {
      select("one", { outputResourcePath: "dag://results/shared/" });
      select("two", { outputResourcePath: pulumi.output("dag://results/shared/inner") });
    };
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(errorsOf(run)).toMatch(
      /SelectQuery "two" writes to dag:\/\/results\/shared\/inner\/, and SelectQuery "one" writes/,
    );
    expect(errorsOf(run)).not.toContain("    at ");
    expect(errorsOf(run)).not.toContain("error serializing property");
  });

  test("preview: reports the position of an error in a secret statement, without showing the statement", async () => {
    stack.program = () => {
      select("hidden", { query: pulumi.secret("SELECT 'hunter2' FORM x y z"), label: "a label" });
    };
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(errorsOf(run)).toContain("query cannot run: line 1, column 23 (the statement is secret and not shown)");
    expect(run.text).not.toContain("hunter2");
    expect(JSON.stringify(diagnostics(run).filter(({ severity }) => severity !== "debug"))).not.toContain("hunter2");
  });

  test("preview: does not print a long statement in full", async () => {
    stack.program = () => {
      const columns = Array.from({ length: 5_000 }, (_, n) => `${n} AS column_${n}`);
      select("long", { query: `SELECT ${columns.join(",\n")}\nFORM x y z` });
    };
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(errorsOf(run)).toMatch(/query cannot run: line 5001, column \d+: .*\n +FORM x y z\n/);
    expect(errorsOf(run).length).toBeLessThan(1_000);
  });

  test("preview: rejects an output folder inside a table that another query reads", async () => {
    stack.program = () => {
      split();
      select("reader", { query: "SELECT * FROM wildlife.birds" });
      select("writer", { outputResourcePath: "dag://wildlife/birds/report/" });
    };
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(errorsOf(run)).toMatch(/dag:\/\/wildlife\/birds\/.*(reads|writes)/);
  });

  test("preview: rejects an output folder that would delete the input of another resource", async () => {
    stack.program = () => {
      select("cleaner", { outputResourcePath: pulumi.output("dag://results/in/") });
      split({ inputObjectKeys: ["dag://results/in/a.csv"] });
    };
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(errorsOf(run)).toContain(
      'SelectQuery "cleaner" writes to dag://results/in/, which contains the input dag://results/in/a.csv of SplitTable "birds"',
    );
  });

  test("preview: refuses a query that would delete objects which no query published", async () => {
    stack.program = () => {
      select("old", {});
    };
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(errorsOf(run)).toContain(
      "dag://results/old/ has 1 object, such as dag://results/old/000000_0, which no query published there: the query would delete them",
    );
  });

  test("preview: warns of a header row in an input of a table with a schema", async () => {
    stack.program = () => {
      split({ inputObjectKeys: ["dag://landing/headed.*"], schema: "string name, int n" });
    };
    const run = await stack.preview();
    expect(run.ok, run.text).toBe(true);
    expect(diagnostics(run).filter(({ message }) => message.includes("first row"))).toMatchObject([
      {
        severity: "warning",
        message: expect.stringContaining(
          "the first row of dag://landing/headed.csv has the names of the columns in schema, and counts as data, because " +
            "every row does when there is a schema: remove that row, or omit schema",
        ) as string,
        urn: expect.stringContaining("SplitTable::birds") as string,
      },
    ]);
  });

  test("preview: rejects an import, and names the alternative", async () => {
    stack.program = () => {
      new dag.ClusterRestart("restart", { clusterName: "demo" }, { import: "demo" });
    };
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(errorsOf(run)).toContain('use dag.ClusterRestart.get("restart", "demo")');
  });

  test("preview: reports missing configuration with both ways to set it", async () => {
    await stack.stack.removeConfig("dag:endpoint");
    stack.program = () => {
      select("any", {});
    };
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(run.text).toContain('run "pulumi config set dag:endpoint http://127.0.0.1:9393", or set DAG_ENDPOINT');
  });

  test("preview: sends only read requests to the service", () => {
    expect(requests.filter(({ operation }) => !/^(get|list)/.test(operation))).toEqual([]);
  });
});
