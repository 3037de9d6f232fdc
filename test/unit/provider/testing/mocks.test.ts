import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { clusterRecord, clusterStatistics, queryLog, queryRecord, querySummary } from "../../../../contract";
import * as dag from "../../../../provider";
import { lifecycles } from "../../../../provider/lifecycles";
import { functions } from "../../../../provider/lifecycles/functions";
import { dagMocks, type DagMocks, type MockOptions } from "../../../../provider/testing";

let mocks: DagMocks;

async function useMocks(options?: MockOptions): Promise<void> {
  mocks = dagMocks(options);
  await pulumi.runtime.setMocks(mocks, "shop", "dev");
}

beforeEach(() => useMocks());

const value = <Value>(output: pulumi.Output<Value>) => new Promise<Value>((resolve) => void output.apply(resolve));

/** The least inputs of each resource. */
const inputs: Readonly<Record<keyof typeof lifecycles, object>> = {
  SplitTable: { clusterName: "demo", inputObjectKeys: ["dag://in/a.csv"], outputDatabase: "shop" },
  SelectQuery: { clusterName: "demo", query: "SELECT 1", outputResourcePath: "dag://out/a", resultRows: 1 },
  ClusterRestart: { clusterName: "demo" },
  ClusterLogExport: { clusterName: "demo", outputLogPath: "dag://logs/a" },
};

describe("resources", () => {
  test.each(Object.keys(lifecycles) as (keyof typeof lifecycles)[])(
    "%s: has every output of a finished resource, of the declared type, in both front ends",
    async (kind) => {
      const { outputs } = lifecycles[kind].properties;
      for (const type of [`pulumi-nodejs:dynamic/dag:${kind}`, `dag:index:${kind}`]) {
        const request = { type, name: "one", inputs: inputs[kind], id: "", provider: "", custom: true };
        const { id, state } = (await mocks.newResource(request)) as { id: string; state: Record<string, unknown> };
        expect(id).not.toBe("");
        for (const [name, { schema, always }] of Object.entries(outputs)) {
          const expected = always ? schema : schema.optional();
          expect(() => (expected as z.ZodType).parse(state[name]), name).not.toThrow();
        }
      }
    },
  );

  test("a program reads the outputs of its resources, and a test what it created", async () => {
    await useMocks({ outputs: { daily: { result: { objects: [], rows: [["2026-01-01", "3"]] } } } });
    const table = new dag.SplitTable("Events", {
      clusterName: "demo",
      inputObjectKeys: ["dag://in/a.csv"],
      outputDatabase: "shop",
    });
    const daily = new dag.SelectQuery("daily", {
      clusterName: "demo",
      query: pulumi.interpolate`SELECT * FROM ${table.qualifiedName}`,
      outputResourcePath: "dag://out/daily",
      resultRows: 1,
    });
    expect(await value(daily.result)).toEqual({ objects: [], rows: [["2026-01-01", "3"]] });
    expect(await value(daily.location)).toBe("dag://out/daily/");
    expect(await value(daily.status)).toBe("finished");
    expect([await value(table.queryId), await value(daily.queryId)]).toEqual([1, 2]);
    expect(mocks.resources).toMatchObject([
      { kind: "SplitTable", name: "Events" },
      {
        kind: "SelectQuery",
        name: "daily",
        inputs: {
          clusterName: "demo",
          query: expect.stringMatching(/^SELECT \* FROM shop\.events_\w{7}$/) as string,
          outputResourcePath: "dag://out/daily",
          resultRows: 1,
        },
      },
    ]);
    expect(Object.keys(mocks.resources[1]!.inputs)).not.toContain("__provider");
  });

  test("mocks without pulumi-dag/testing: a table whose name the program leaves out has a name", async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs: given }) => ({ id: name, state: given as object }),
      call: () => ({}),
    });
    const table = new dag.SplitTable("Events", {
      clusterName: "demo",
      inputObjectKeys: ["dag://in/a.csv"],
      outputDatabase: "shop",
    });
    expect(await value(table.qualifiedName)).toMatch(/^shop\.events_\w{7}$/);
    expect(await value(table.location)).toMatch(/^dag:\/\/shop\/events_\w{7}\/$/);
  });

  test("get: a lookup has the outputs of the id", async () => {
    const query = dag.SelectQuery.get("old", "41");
    expect([await value(query.queryId), await value(query.location)]).toEqual([41, "dag://results/old/"]);
    expect(await value(dag.ClusterRestart.get("c", "west").clusterName)).toBe("west");
    const logs = dag.ClusterLogExport.get("l", "west/dag://logs/a/");
    expect([await value(logs.clusterName), await value(logs.location)]).toEqual(["west", "dag://logs/a/"]);
  });

  test("others: resources and functions of other packages use their own mocks", async () => {
    await useMocks({ others: { newResource: () => ({ id: "b", state: { bucket: "mine" } }), call: () => ({ n: 7 }) } });
    class Bucket extends pulumi.CustomResource {
      declare readonly bucket: pulumi.Output<string>;
      constructor() {
        super("aws:s3:Bucket", "b", { bucket: undefined });
      }
    }
    expect(await value(new Bucket().bucket)).toBe("mine");
    expect(await pulumi.runtime.invoke("aws:index:getIt", {})).toEqual({ n: 7 });
    expect(mocks.resources).toEqual([]);
  });
});

describe("functions", () => {
  test("every function returns a record of the service", async () => {
    clusterRecord.parse(await value(dag.getCluster({ clusterName: "west" })));
    z.array(clusterRecord)
      .nonempty()
      .parse(await value(dag.getClusters().clusters));
    clusterStatistics.parse(await value(dag.getClusterStatistics({ clusterName: "west" })));
    expect(queryRecord.parse(await value(dag.getQuery({ queryId: 41 })))).toMatchObject({ id: 41 });
    z.array(querySummary)
      .nonempty()
      .parse(await value(dag.getQueries({ clusterName: "west" }).queries));
    queryLog.parse(await value(dag.getQueryLog({ queryId: 41 })));
    // None is without a mock.
    for (const name of Object.keys(functions)) {
      expect(await mocks.call({ token: `dag:index:${name}`, inputs: {} }), name).toBeTypeOf("object");
    }
  });

  test("getCluster: needs no configuration, accepts outputs, and takes what the test says", async () => {
    await useMocks({
      functions: { getCluster: ({ clusterName }) => ({ status: clusterName === "west" ? "failed" : "norm" }) },
    });
    expect(await value(dag.getCluster({ clusterName: pulumi.output("west") }).status)).toBe("failed");
    expect(await value(dag.getCluster({ clusterName: "east" }).status)).toBe("norm");
  });

  test("setMocks: a function goes through the call of any mocks", async () => {
    const called: pulumi.runtime.MockCallArgs[] = [];
    await pulumi.runtime.setMocks({
      newResource: () => ({ id: "1", state: {} }),
      call: (args) => {
        called.push(args);
        return { name: "mine", status: "norm" };
      },
    });
    expect(await value(dag.getCluster({ clusterName: "demo" }).name)).toBe("mine");
    expect(called).toMatchObject([{ token: "dag:index:getCluster", inputs: { clusterName: "demo" } }]);
  });
});

describe("misspelt options", () => {
  const mocksWith = (options: object) => () => dagMocks(options);

  test("an option, and a function, is refused by its name", () => {
    expect(mocksWith({ output: {} })).toThrow(
      'there is no option "output": did you mean "outputs"? There are outputs, functions',
    );
    expect(mocksWith({ functions: { getClusterr: {} } })).toThrow(
      'no function "getClusterr": did you mean "getCluster"?',
    );
    expect(mocksWith({ functions: { foo: {} } })).toThrow('no function "foo": use one of getCluster, getClusters');
  });

  test("an output of a resource is refused by both names", () => {
    expect(mocksWith({ outputs: { daily: { resullt: {} } } })).toThrow(
      '"daily" has no output "resullt": did you mean "result"? There are',
    );
  });
});
