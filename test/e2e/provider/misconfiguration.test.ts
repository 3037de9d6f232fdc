import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { dag, diagnostics, setFaults, startService, TestStack, type Run } from "./harness";

let service: TestService;
let stack: TestStack;

beforeAll(async () => {
  service = await startService({ buckets: ["results"] });
  stack = await TestStack.create(service, { "dag:maxRetries": "0" });
  stack.program = () => {
    new dag.SelectQuery("any", {
      clusterName: "demo",
      query: "SELECT 1 AS n",
      outputResourcePath: "dag://results/any/",
    });
  };
});

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await service?.close();
});

/** The messages of the resource. The stack itself reports only that it failed. */
function saidBy(run: Run): string {
  const all = diagnostics(run).filter(({ severity }) => severity !== "debug");
  const ofTheStack = all.filter(({ urn }) => !urn.endsWith("::any")).map(({ message }) => message.trim());
  // The run ends with a line for the cluster, which says that nothing ran.
  const summary = /^cluster demo: 0 ran, 0 adopted, 0 kept, 1 (failed|refused)$/;
  expect(ofTheStack.filter((message) => message !== "update failed" && !summary.test(message))).toEqual([]);
  expect(run.text).not.toContain("    at ");
  return all
    .filter(({ urn }) => urn.endsWith("::any"))
    .map(({ message }) => message)
    .join("\n");
}

describe("an invalid configuration", () => {
  test("preview: a missing key is reported once, with both ways to set it", async () => {
    await stack.stack.removeConfig("dag:endpoint");
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    const remedy = 'run "pulumi config set dag:endpoint http://127.0.0.1:9393", or set DAG_ENDPOINT';
    expect(saidBy(run).split(remedy)).toHaveLength(2);
  });

  test("preview: a key that does not exist is a warning, once, which names the key that is meant", async () => {
    await using other = await TestStack.create(service, { "dag:endpiont": service.url });
    other.program = () => {
      for (const name of ["one", "two"]) {
        const outputResourcePath = `dag://results/${name}/`;
        new dag.SelectQuery(name, { clusterName: "demo", query: "SELECT 1 AS n", outputResourcePath });
      }
    };
    const run = await other.preview();
    expect(run.ok, run.text).toBe(true);
    const said = diagnostics(run).filter(({ message }) => message.includes("dag:endpiont"));
    expect(said).toEqual([
      expect.objectContaining({
        severity: "warning",
        message: expect.stringContaining(
          "is not a configuration key; did you mean dag:endpoint? The keys are endpoint,",
        ),
      }),
    ]);
  });

  test("up: an unreachable endpoint is reported with its setting, without a stack trace", async () => {
    await stack.stack.setConfig("dag:endpoint", { value: "http://127.0.0.1:1" });
    const run = await stack.up();
    expect(run.ok).toBe(false);
    expect(saidBy(run)).toMatch(
      /http:\/\/127\.0\.0\.1:1\/: cannot connect .*\nCheck that the service runs, and dag:endpoint \(or DAG_ENDPOINT\)/,
    );
  });

  test("up: a wrong secret key is reported with code, request and both ways to set it, and never shown", async () => {
    await stack.stack.setConfig("dag:endpoint", { value: service.url });
    await stack.stack.setConfig("dag:secretAccessKey", { value: "not-the-secret-key", secret: true });
    const run = await stack.up();
    expect(run.ok).toBe(false);
    expect(saidBy(run)).toMatch(
      /SignatureDoesNotMatch: .*request .*\nCheck dag:secretAccessKey .*DAG_SECRET_ACCESS_KEY/,
    );
    expect(run.text).not.toContain("not-the-secret-key");
  });

  test("preview: a wrong secret key is a warning, with code and both ways to set it", async () => {
    const run = await stack.preview();
    expect(run.ok, run.text).toBe(true);
    expect(run.text).toMatch(/will fail as things are: SignatureDoesNotMatch: .*\n.*DAG_SECRET_ACCESS_KEY/);
    expect(run.text).not.toContain("not-the-secret-key");
  });

  test("preview: a cluster that does not exist is a warning, once", async () => {
    await stack.stack.setConfig("dag:secretAccessKey", { value: service.credentials.secretAccessKey, secret: true });
    await using other = await TestStack.create(service, { "dag:maxRetries": "0" });
    other.program = () => {
      for (const name of ["one", "two"]) {
        const outputResourcePath = `dag://results/${name}/`;
        new dag.SelectQuery(name, { clusterName: "nowhere", query: "SELECT 1 AS n", outputResourcePath });
      }
    };
    const run = await other.preview();
    expect(run.ok, run.text).toBe(true);
    const said = diagnostics(run).filter(({ message }) => message.includes("ClusterNotFound"));
    expect(said.map(({ severity }) => severity)).toEqual(["warning"]);
  });

  test("refresh: a failing service is reported with code, operation and request, without a stack trace", async () => {
    await stack.stack.setConfig("dag:secretAccessKey", { value: service.credentials.secretAccessKey, secret: true });
    expect((await stack.up()).ok).toBe(true);
    await setFaults(service, [{ operation: "getQuery", probability: 1, code: "InternalError" }]);
    const run = await stack.refresh();
    await setFaults(service, []);
    expect(run.ok).toBe(false);
    expect(run.text).toMatch(/SelectQuery "any": InternalError: .*\(getQuery, request /);
    expect(run.text).not.toContain("    at ");
  });
});
