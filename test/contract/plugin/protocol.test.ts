import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Server, ServerCredentials, status } from "@grpc/grpc-js";
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configuration, PluginProcess, root, secret, select, unknownText, urnOf } from "./plugin-process";

const urn = urnOf("SelectQuery", "one");

let plugin: PluginProcess;
beforeAll(async () => {
  plugin = await PluginProcess.start();
  await plugin.handshake();
  await plugin.configure(configuration);
});
afterAll(() => plugin?.[Symbol.asyncDispose]());

describe("the process", () => {
  test("handshake: accepts secrets and the autonaming setting", async () => {
    const response = await plugin.handshake();
    expect(response.getAcceptSecrets()).toBe(true);
    expect(response.getSupportsAutonamingConfiguration()).toBe(true);
  });

  test("getSchema: returns schema.json", async () => {
    expect(await plugin.schema()).toBe(readFileSync(join(root, "schema.json"), "utf8"));
  });

  test("getPluginInfo: returns the package's version", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    const info = await plugin.call<{ getVersion(): string }>("getPluginInfo", new Empty());
    expect(info.getVersion()).toBe(version);
  });

  test.each(["getMapping", "getMappings", "construct", "call", "parameterize"] as const)(
    "%s: is not there, and says so",
    async (operation) => {
      const { requestType } = ResourceProviderService[operation] as unknown as { requestType: new () => unknown };
      await expect(plugin.call(operation, new requestType())).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
    },
  );

  test.each(["SIGINT", "SIGTERM"] as const)("%s: ends the process, with code 0 and without output", async (signal) => {
    await using other = await PluginProcess.start();
    await other.handshake();
    await other.configure(configuration);
    await other.cancel();
    expect(await other.end(signal)).toBe(0);
    expect(other.noise).toBe("");
  });

  test("attach: a plugin that was started by hand outlives the engine, and serves the next one", async () => {
    await using other = await PluginProcess.start();
    for (let run = 0; run < 2; run++) {
      const engine = new Server();
      const port = await new Promise<number>((resolve, reject) => {
        const credentials = ServerCredentials.createInsecure();
        engine.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
      });
      const request = new PluginAttach();
      request.setAddress(`127.0.0.1:${port}`);
      await other.call("attach", request);
      await other.configure(configuration);
      expect((await other.check(urn, select)).failures).toEqual([]);
      await other.cancel();
      engine.forceShutdown();
    }
    // Longer than the engine's reconnect timeout.
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    expect(other.child.exitCode).toBeNull();
    expect((await other.check(urn, select)).failures).toEqual([]);
    expect(other.noise).toBe("");
  });

  test("resources: fail before the provider is configured", async () => {
    await using other = await PluginProcess.start();
    await expect(other.check(urn, select)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
  });

  test("resources: an unknown type is rejected", async () => {
    await expect(plugin.check(urnOf("Query", "one"), select)).rejects.toThrow('no resource of type "dag:index:Query"');
  });
});

describe("the configuration", () => {
  test("checkConfig: names each missing key and both ways to set it", async () => {
    await using bare = await PluginProcess.start();
    const { failures } = await bare.checkConfig({ accessKeyId: "AK" });
    expect(failures.map(({ property }) => property)).toEqual(["endpoint", "secretAccessKey"]);
    expect(failures[1]!.reason).toMatch(/pulumi config set --secret dag:secretAccessKey.*DAG_SECRET_ACCESS_KEY/);
  });

  test("checkConfig: uses environment variables", async () => {
    const environment = { DAG_ENDPOINT: "http://127.0.0.1:9", DAG_ACCESS_KEY_ID: "AK", DAG_SECRET_ACCESS_KEY: "SK" };
    await using other = await PluginProcess.start(environment);
    expect(await other.checkConfig({ version: "0.1.0" })).toEqual({ inputs: { version: "0.1.0" }, failures: [] });
    await other.configure({});
  });

  test.each([
    ["endpoint", "ftp://x"],
    ["accessKeyId", "a b"],
    ["maxRetries", "-1"],
    ["pollInterval", 0],
    ["submissionToken", "maybe"],
    ["colour", "red"],
  ])("checkConfig: refuses %s %s", async (property, value) => {
    const { failures } = await plugin.checkConfig({ ...configuration, [property]: value });
    expect(failures).toEqual([{ property, reason: expect.stringContaining(`dag:${property}`) }]);
  });

  test("checkConfig: names the key that a misspelt one stands for", async () => {
    const { failures } = await plugin.checkConfig({ ...configuration, endpiont: "http://127.0.0.1:9" });
    expect(failures).toEqual([
      {
        property: "endpiont",
        reason: expect.stringMatching(
          /^dag:endpiont is not a configuration key; did you mean dag:endpoint\? The keys are /,
        ),
      },
    ]);
  });

  test.each([
    ["endpoint", "ftp://hush"],
    ["accessKeyId", "hush hush"],
    ["maxRetries", "hush"],
    ["storage", "hush:/x"],
  ])("checkConfig: does not quote an invalid secret %s", async (property, value) => {
    const { failures } = await plugin.checkConfig({ ...configuration, [property]: secret(value) });
    expect(failures).toEqual([{ property, reason: expect.stringContaining(`dag:${property} (or DAG_`) }]);
    expect(failures[0]!.reason).not.toContain("hush");
  });

  test("checkConfig: rejects an invalid storage, and names both ways to set it", async () => {
    const { failures } = await plugin.checkConfig({ ...configuration, storage: "file:/nowhere/at/all" });
    expect(failures).toEqual([
      { property: "storage", reason: expect.stringMatching(/dag:storage \(or DAG_STORAGE\).*the directory \/nowhere/) },
    ]);
  });

  test("checkConfig: ignores the engine's own keys", async () => {
    const given = { ...configuration, __internal: { version: "0.1.0" }, version: "0.1.0", pluginDownloadURL: "x" };
    expect((await plugin.checkConfig(given)).failures).toEqual([]);
  });

  test("checkConfig: always marks the secret key as secret, and accepts numbers", async () => {
    const given = { ...configuration, secretAccessKey: "hush", maxRetries: 3, submissionToken: false };
    const { inputs, failures } = await plugin.checkConfig(given);
    expect(failures).toEqual([]);
    expect(inputs).toEqual({ ...given, secretAccessKey: secret("hush") });
  });

  test("checkConfig: accepts values that are unknown during preview", async () => {
    const given = { ...configuration, endpoint: unknownText };
    expect(await plugin.checkConfig(given)).toEqual({ inputs: given, failures: [] });
  });

  test("diffConfig: another endpoint keeps the resources", async () => {
    const found = await plugin.diffConfig(configuration, { ...configuration, endpoint: "http://127.0.0.1:10" });
    expect(found).toEqual({
      changes: true,
      replaces: [],
      deleteBeforeReplace: false,
      detailedDiff: { endpoint: "UPDATE" },
    });
  });

  test("diffConfig: changed credentials update the provider and replace nothing", async () => {
    const news = { ...configuration, accessKeyId: "AK2", secretAccessKey: secret("another") };
    expect(await plugin.diffConfig(configuration, news)).toMatchObject({ changes: true, replaces: [] });
  });

  test("configure: names the invalid value, but not the secret", async () => {
    await using other = await PluginProcess.start();
    const failure = await other.configure({ ...configuration, storage: "file:/nowhere/at/all" }).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(failure).toContain("the directory /nowhere/at/all does not exist");
    expect(failure).not.toContain("hush");
  });
});

describe("functions", () => {
  test("invoke: with unknown arguments, the results are unknown, and no request is sent", async () => {
    expect(await plugin.invoke("dag:index:getCluster", { clusterName: unknownText })).toEqual({
      values: Object.fromEntries(["name", "status", "type", "instances", "debug"].map((name) => [name, unknownText])),
      failures: [],
    });
    const { values } = await plugin.invoke("dag:index:getQueries", { labelPrefix: secret(unknownText) });
    expect(values).toEqual({ queries: secret(unknownText) });
  });

  test("invoke: reports invalid arguments beside unknown ones, and quotes no secret", async () => {
    const { failures } = await plugin.invoke("dag:index:getQueries", { labelPrefix: unknownText, status: ["late"] });
    expect(failures.map(({ property }) => property)).toEqual(["status"]);
    const hushed = await plugin.invoke("dag:index:getCluster", { clusterName: secret("hush hush") });
    expect(hushed.failures).toEqual([{ property: "clusterName", reason: expect.not.stringContaining("hush") }]);
  });
});
