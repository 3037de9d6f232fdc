import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { ClusterLogExport } from "../../../../provider/dynamic/cluster-log-export";
import { ClusterRestart } from "../../../../provider/dynamic/cluster-restart";
import { ProgramResources } from "../../../../provider/dynamic/program-resources";
import { SelectQuery } from "../../../../provider/dynamic/select-query";
import { SplitTable } from "../../../../provider/dynamic/split-table";

const registered: pulumi.runtime.MockResourceArgs[] = [];

/** Begins a run of a program. */
const newRun = () =>
  pulumi.runtime.setMocks(
    {
      newResource: (args) => {
        registered.push(args);
        return { id: "7", state: { ...args.inputs, status: "finished" } };
      },
      call: () => ({}),
    },
    "shop",
    "dev",
  );

beforeAll(newRun);

const queryArgs = { clusterName: "demo", query: "SELECT 1", outputResourcePath: "dag://out/typed/" };
const tableArgs = {
  clusterName: "demo",
  inputObjectKeys: ["dag://in/a.csv"],
  outputDatabase: "birds",
  outputTable: "typed",
};

/** Rejects when an output of the resource does. */
const settled = (resource: pulumi.Resource) =>
  Promise.all(
    Object.values(resource)
      .filter((output) => pulumi.Output.isInstance(output))
      .map((output) => (output as unknown as { promise(): Promise<unknown> }).promise()),
  );

const value = <Value>(output: pulumi.Output<Value>) => new Promise<Value>((resolve) => void output.apply(resolve));

test("classes: warn once a run of a secret key that was set without --secret", async () => {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  const config = { "dag:accessKeyId": "id", "dag:secretAccessKey": "key" };
  const warningsWith = (secretKeys: string[]) => {
    warn.mockClear();
    pulumi.runtime.setAllConfig(config, secretKeys);
    for (const name of ["plain-1", "plain-2"]) new ClusterRestart(name, { clusterName: "demo" });
    return warn.mock.calls.map(([text]) => text);
  };
  await newRun();
  expect(warningsWith(["dag:secretAccessKey"])).toEqual([]);
  await newRun();
  expect(warningsWith([])).toEqual([expect.stringMatching(/^dag:secretAccessKey is in plain text .*--secret/)]);
  pulumi.runtime.setAllConfig({});
});

test("classes: register a dynamic resource with the inputs, the provider's code and the URN", async () => {
  const query = new SelectQuery("daily", { clusterName: "demo", query: "SELECT 1", outputResourcePath: "dag://out/a" });
  expect(await value(query.status)).toBe("finished");
  expect(await value(query.location)).toBe("dag://out/a/");
  expect(registered.at(-1)).toMatchObject({
    type: "pulumi-nodejs:dynamic/dag:SelectQuery",
    inputs: {
      clusterName: "demo",
      query: "SELECT 1",
      outputResourcePath: "dag://out/a",
      __dag: "dev::shop::SelectQuery::daily",
      __provider: "exports.handler=()=>require('pulumi-dag/dynamic/handlers')",
    },
  });
});

test("classes: the names of a table are known before it is created", async () => {
  const table = new SplitTable("t", {
    clusterName: "demo",
    inputObjectKeys: ["dag://in/a.csv"],
    outputDatabase: "wild-life",
    outputTable: "birds",
  });
  expect(await value(table.qualifiedName)).toBe("`wild-life`.birds");
  expect(await value(table.location)).toBe("dag://wild-life/birds/");
});

test("classes: a table waits for the resources of the program that make its input objects", async () => {
  const program = new ProgramResources();
  const sel = new SelectQuery("sel", { ...queryArgs, outputResourcePath: "dag://mart/deep/sel" });
  const birds = new SplitTable("birds", tableArgs);
  program.addResult("sel", sel, { ...queryArgs, outputResourcePath: "dag://mart/deep/sel" });
  program.addTable("birds", birds, tableArgs);
  const makersOf = async (...inputObjectKeys: string[]) => {
    const { options } = program.addSplitTable("again", { ...tableArgs, inputObjectKeys }, {});
    return value((options.dependsOn as unknown as pulumi.Output<pulumi.Resource[]>[])[1]!);
  };
  expect(await makersOf("dag://raw/a.csv", "dag://mart/deep/selected/a.csv")).toEqual([]);
  const [first, second, ...more] = await makersOf(
    "dag://mart/deep/sel/*",
    "dag://mart/deep/sel/000000_0",
    "dag://birds/typed/0",
  );
  expect([first === sel, second === birds, more]).toEqual([true, true, []]);
});

test("classes: pass on that an input is secret, and the timeouts", async () => {
  const args = { clusterName: "demo", outputLogPath: pulumi.secret("dag://logs/a") };
  const logs = new ClusterLogExport("logs", args, { customTimeouts: { create: "5m" } });
  await value(logs.urn);
  expect(registered.at(-1)!.inputs["__dag"]).toEqual({
    urn: "dev::shop::ClusterLogExport::logs",
    secret: true,
    timeouts: { create: 300_000 },
  });
});

test("get: passes no inputs but the id", async () => {
  const restart = ClusterRestart.get("restart", "demo");
  expect(await value(restart.id)).toBe("demo");
  expect(registered.at(-1)).toMatchObject({ id: "demo", inputs: { __dag: "dev::shop::ClusterRestart::restart" } });
});

describe("values of a wrong type, from a program without types, are left to the check", () => {
  const text = 5 as never;
  test.each([
    ["SelectQuery", new Map([["query", 5]]), () => new SelectQuery("typed", { ...queryArgs, query: text })],
    [
      "SelectQuery",
      new Map([["query", ["SELECT 1"]]]),
      () => new SelectQuery("typed", { ...queryArgs, query: ["SELECT 1"] as never }),
    ],
    [
      "SelectQuery",
      new Map([["outputResourcePath", 5]]),
      () => new SelectQuery("typed", { ...queryArgs, outputResourcePath: text }),
    ],
    ["SplitTable", new Map([["outputTable", 5]]), () => new SplitTable("typed", { ...tableArgs, outputTable: text })],
    [
      "SplitTable",
      new Map([["outputDatabase", 5]]),
      () => new SplitTable("typed", { ...tableArgs, outputDatabase: text }),
    ],
    [
      "SplitTable",
      new Map([["inputObjectKeys", 5]]),
      () => new SplitTable("typed", { ...tableArgs, inputObjectKeys: text }),
    ],
    [
      "ClusterLogExport",
      new Map([["outputLogPath", 5]]),
      () => new ClusterLogExport("typed", { clusterName: "demo", outputLogPath: text }),
    ],
  ])("%s, %s", async (_kind, given, create) => {
    const resource = create();
    await settled(resource);
    expect(registered.at(-1)!.inputs).toMatchObject(Object.fromEntries(given));
  });

  test.each([
    ["SelectQuery", SelectQuery],
    ["SplitTable", SplitTable],
    ["ClusterLogExport", ClusterLogExport],
    ["ClusterRestart", ClusterRestart],
  ])("%s without any inputs", async (kind, Resource) => {
    await settled(new Resource("bare", undefined as never));
    expect(registered.at(-1)).toMatchObject({ inputs: { __dag: `dev::shop::${kind}::bare` } });
  });
});

/** The promises of an output, each of which fails with its value. */
interface OutputParts {
  promise(): Promise<unknown>;
  readonly isKnown: Promise<unknown>;
  readonly isSecret: Promise<unknown>;
  allResources(): Promise<unknown>;
}

test("overlapping outputs: the error has no stack, which the SDK prints when the program has been read to its end", async () => {
  const program = new ProgramResources();
  const paths = ["a", "b"].map((name) => program.addSelectQuery(name, queryArgs, {}).args.outputResourcePath);
  const parts = (paths as unknown as OutputParts[]).flatMap((path) => [
    path.promise(),
    path.isKnown,
    path.isSecret,
    path.allResources(),
  ]);
  const [ended] = await Promise.allSettled(parts);
  expect(ended).toMatchObject({ reason: { message: expect.stringContaining("writes to dag://out/typed/ too") } });
  const { reason: error } = ended as PromiseRejectedResult;
  expect(error.stack).toBe(error.message);
});

test("import: is rejected, and the message names the alternative", () => {
  const imported = () => new ClusterRestart("restart", { clusterName: "demo" }, { import: "demo" });
  expect(imported).toThrow(pulumi.RunError);
  expect(imported).toThrow('use dag.ClusterRestart.get("restart", "demo")');
});

test("isInstance: distinguishes the resource types", () => {
  const restart = new ClusterRestart("other", { clusterName: "demo" });
  expect(ClusterRestart.isInstance(restart)).toBe(true);
  expect(SelectQuery.isInstance(restart)).toBe(false);
  expect(SplitTable.isInstance(undefined)).toBe(false);
});
