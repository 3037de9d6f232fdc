/** A server that goes away while it is used. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { columns, Machine, Recorder, submission } from "../../contract/engine/harness";
import { call, ended, hasStatus } from "../../contract/service/caller";
import { type DialectName, startRemote } from "../harness";
import { Network } from "./network";
import { useServices } from "./service-with-cluster";

/** Declares the tests of the engine, which wait at the same time: each has a network and files of its own. */
export function outageSuite(dialect: DialectName): void {
  describe.concurrent("outage", () => {
    engineTests(dialect);
  });
}

function engineTests(dialect: DialectName): void {
  async function setUp({ onTestFinished: afterwards }: TestContext) {
    const machine = new Machine();
    afterwards(() => machine[Symbol.asyncDispose]());
    const network = new Network(dialect);
    await network.up();
    afterwards(() => network.down());
    const start = async () => {
      const engine = await startRemote(dialect, machine, { servers: [{ host: "127.0.0.1", port: network.port }] });
      afterwards(() => engine.close());
      return engine;
    };
    return { machine, network, start };
  }

  /** A statement that the server has taken, whose result is `3`. */
  async function runningSum(context: TestContext) {
    const { machine, network, start } = await setUp(context);
    const engine = await start();
    const table = machine.tableOf(["1\n2\n"], { columns: columns("n int") });
    const recorder = new Recorder();
    const running = machine.run(engine, "SELECT sum(n) FROM t", [table], { context: recorder });
    await expect.poll(() => recorder.jobIds, { timeout: 60_000, interval: 20 }).toHaveLength(1);
    return { network, recorder, running };
  }

  test("select: a connection that breaks while the server runs the statement", async (context) => {
    const { network, recorder, running } = await runningSum(context);
    network.break();
    expect(await running).toBe("3\n");
    expect(recorder.jobIds).toHaveLength(2);
    expect(recorder.lines.join("\n")).toMatch(/closed the connection.*: the statement is run again/);
  });

  test("select: a server that is away for longer than a few tries: the statement waits for it, and runs", async (context) => {
    const { network, recorder, running } = await runningSum(context);
    await network.down();
    const waits = /refuses connections.*: the statement waits for a server that answers/;
    await expect.poll(() => recorder.lines.join("\n"), { timeout: 60_000 }).toMatch(waits);
    // A statement has three attempts, of a second and more each.
    await sleep(8000);
    await network.up();
    expect(await running).toBe("3\n");
    expect(recorder.jobIds).toHaveLength(2);
  });

  test("engine: ends when no server answers for a while, and starts when one does", async (context) => {
    const { machine, network, start } = await setUp(context);
    const engine = await start();
    const table = machine.tableOf(["1\n"], { columns: columns("n int") });
    const query = { statement: "SELECT n FROM t", tables: [table] };
    await network.down();
    await expect(engine.checkSelect(query, submission)).rejects.toMatchObject({ code: "ServiceUnavailable" });
    expect(await engine.ended).toMatchObject({
      expected: false,
      reason: expect.stringContaining("refuses connections"),
    });
    await expect(start()).rejects.toThrow("refuses connections");
    await network.up();
    const again = await start();
    await again.checkSelect(query, submission);
  });

  test.for(["closed", "silent"] as const)(
    "engine: ends when nothing answers behind a load balancer, whose connections are %s, and starts when a server does",
    async (how, context) => {
      const { machine, network, start } = await setUp(context);
      const engine = await start();
      const table = machine.tableOf(["1\n"], { columns: columns("n int") });
      network.loseServer(how);
      expect(await engine.ended).toMatchObject({
        expected: false,
        reason: expect.stringMatching(
          /no (?:Hive|Spark) server answers: hive2:\/\/127\.0\.0\.1:\d+ (?:closed|did not)/,
        ),
      });
      await expect(start()).rejects.toThrow(/check urls, auth and tls in the config/);
      network.findServer();
      const again = await start();
      await again.checkSelect({ statement: "SELECT n FROM t", tables: [table] }, submission);
    },
  );
}

/** Declares the test of a service's cluster. */
export function clusterOutageSuite(dialect: DialectName): void {
  const services = useServices(dialect, "files");

  test("cluster: is failed while nothing answers behind a load balancer, refuses submissions, and comes back by itself", async () => {
    services.fill();
    const network = new Network(dialect);
    await network.up();
    onTestFinished(() => network.down());
    const service = await services.start([`hive2://127.0.0.1:${network.port}`]);
    await hasStatus(service, "demo", "norm");
    network.loseServer("closed");
    await hasStatus(service, "demo", "failed");
    const refused = await services.submit(service, "demo", "select count(*) n from data.events", "f");
    expect(refused.json).toMatchObject({ code: "InvalidClusterState" });
    // Work of this machine is not refused on another cluster.
    const clusters = await call(service, "GET", "/v1/?clusterManagement&status=norm");
    expect(clusters.json.clusters.map(({ name }: { name: string }) => name)).toEqual(["local"]);
    network.findServer();
    await hasStatus(service, "demo", "norm");
    const { json } = await services.submit(service, "demo", "select count(*) n from data.events", "f");
    expect(await ended(service, json.queryId)).toMatchObject({ status: "finished" });
    expect(services.result("f")).toBe("3\n");
  });
}
