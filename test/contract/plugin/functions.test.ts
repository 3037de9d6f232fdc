import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { configurationFor } from "./front-ends";
import { PluginProcess, root, type Values } from "./plugin-process";

interface Type {
  readonly type?: string;
  readonly $ref?: string;
  readonly items?: Type;
  readonly properties?: Readonly<Record<string, Type>>;
  readonly required?: readonly string[];
  readonly enum?: readonly { readonly value: string }[];
}

const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8")) as {
  readonly types: Readonly<Record<string, Type>>;
  readonly functions: Readonly<Record<string, { readonly outputs: Type }>>;
};

/** Returns the differences between a value and its type in schema.json. */
function differences(value: unknown, type: Type, path: string): string[] {
  const named = type.$ref === undefined ? type : schema.types[type.$ref.replace("#/types/", "")]!;
  if (named.enum) return named.enum.some((one) => one.value === value) ? [] : [`${path}: ${JSON.stringify(value)}`];
  if (named.type === "array") {
    if (!Array.isArray(value)) return [`${path} is not an array`];
    return value.flatMap((inner, index) => differences(inner, named.items!, `${path}[${index}]`));
  }
  if (named.type === "object") {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path} is not an object`];
    const { properties = {}, required = [] } = named;
    const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${path}.${name} is missing`);
    const inner = Object.entries(value).flatMap(([name, one]) =>
      properties[name] ? differences(one, properties[name], `${path}.${name}`) : [`${path}.${name} is not declared`],
    );
    return [...missing, ...inner];
  }
  const actual = Number.isInteger(value) ? "integer" : typeof value;
  return actual === named.type ? [] : [`${path} is ${actual}, not ${named.type}`];
}

let service: TestService;
let plugin: PluginProcess;
const load = createRequire(__filename);
const { startService } = load(join(root, "service/dist/service/testing")) as typeof import("../../../service/testing");
const dag = load(root) as typeof import("../../../provider");

beforeAll(async () => {
  service = await startService({ objects: { "dag://data/raw/birds.csv": "owl,2\n" }, buckets: ["results", "tables"] });
  await using client = new dag.Client({ endpoint: service.url, ...service.credentials });
  const clusterName = "demo";
  const submissions = [
    await client.submitSelect({ clusterName, query: "SELECT 1 AS n", outputResourcePath: "dag://results/one/" }),
    await client.submitSplit({
      clusterName,
      inputObjectKeys: ["dag://data/raw/birds.csv"],
      outputDatabase: "tables",
      outputTable: "birds",
      label: "birds",
    }),
  ];
  for (const { queryId } of submissions) await client.waitForQuery({ queryId, clusterName });
  plugin = await PluginProcess.start();
  await plugin.handshake();
  await plugin.configure(configurationFor(service));
  const pulumi = load("@pulumi/pulumi") as typeof import("@pulumi/pulumi");
  pulumi.runtime.setAllConfig(
    Object.fromEntries(Object.entries(configurationFor(service)).map(([key, value]) => [`dag:${key}`, value])),
  );
});

afterAll(async () => {
  await plugin?.[Symbol.asyncDispose]();
  await service?.close();
});

describe("functions of both front ends", () => {
  test.each([
    ["getCluster", { clusterName: "demo" }],
    ["getClusters", {}],
    ["getClusterStatistics", { clusterName: "demo" }],
    ["getQuery", { queryId: 1 }],
    ["getQuery", { queryId: 2 }],
    ["getQueries", {}],
  ] as const)("%s: returns the outputs that schema.json declares, and the same from both: %o", async (name, args) => {
    const call = dag[name] as (given: object) => object;
    const output = call(args) as unknown as { promise(): Promise<Values> };
    const fromProgram = await output.promise();
    const { values: fromPlugin } = await plugin.invoke(`dag:index:${name}`, args);
    const type = schema.functions[`dag:index:${name}`]!.outputs;
    expect(differences(fromPlugin, type, "plugin")).toEqual([]);
    expect(differences(fromProgram, type, "program")).toEqual([]);
    expect(steady(fromProgram)).toEqual(steady(fromPlugin));
  });
});

/** Replaces what other programs on the machine change between two calls, the use of the disk by other files, by its type. */
function steady(values: Values): unknown {
  return JSON.parse(
    JSON.stringify(values, (name, value: unknown) => (name === "nonDfsUsed" ? typeof value : value)),
  ) as unknown;
}

test("getQuery: an unknown id is reported once, and Node.js prints no warning when the output is awaited later", async () => {
  const program = `
    const pulumi = require("@pulumi/pulumi");
    const dag = require(${JSON.stringify(root)});
    const reported = new Set();
    process.on("unhandledRejection", (error) => reported.add(error.message));
    const query = dag.getQuery({ queryId: 987654 });
    const outputs = [query, query.status, query.apply(({ id }) => id)];
    setTimeout(async () => {
      for (const output of outputs) {
        await Promise.allSettled([output.promise(), output.isKnown, output.isSecret, output.allResources()]);
      }
      console.log(JSON.stringify([...reported]));
    }, 1500);`;
  const { accessKeyId, secretAccessKey } = service.credentials;
  const environment = {
    DAG_ENDPOINT: service.url,
    DAG_ACCESS_KEY_ID: accessKeyId,
    DAG_SECRET_ACCESS_KEY: secretAccessKey,
  };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["-e", program], {
    cwd: root,
    env: { ...process.env, ...environment },
  });
  expect(JSON.parse(stdout)).toEqual([expect.stringContaining("dag.getQuery: QueryNotFound")]);
  expect(stderr).toBe("");
});
