import { describe, expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { ConnectionError } from "../../../../../provider/client";
import { selectQuery, type SelectQueryInputs } from "../../../../../provider/lifecycles/resources/select-query";
import { testContext, until } from "../context";
import { FakeService } from "../fake-service";

const inputs: SelectQueryInputs = {
  clusterName: "demo",
  query: "SELECT a FROM db.t",
  outputResourcePath: "dag://out/a/",
  label: "daily",
};

describe("submits exactly once", () => {
  test("a lost response: the submitted query is found, and not submitted again", async () => {
    const context = testContext();
    let drops = 1;
    context.service.trouble = (operation) => (operation === "submitSelect" && drops-- > 0 ? "drop after" : undefined);
    expect((await selectQuery.create(inputs, context)).id).toBe("1");
    expect(context.service.records).toHaveLength(1);
  });

  test("a lost response to a query that has already ended: the query is found too", async () => {
    const context = testContext();
    const old = context.service.add("select", { label: "daily#000000000000" });
    await until(() => old.status === "finished");
    let drops = 1;
    context.service.trouble = (operation) => {
      if (operation !== "submitSelect" || drops-- <= 0) return undefined;
      setTimeout(() => context.service.finish(2), 0);
      return "drop after";
    };
    expect((await selectQuery.create(inputs, context)).id).toBe("2");
    expect(context.service.records).toHaveLength(2);
  });

  test("a request that did not arrive: it is sent again", async () => {
    const context = testContext();
    let drops = 1;
    context.service.trouble = (operation) => (operation === "submitSelect" && drops-- > 0 ? "drop before" : undefined);
    expect((await selectQuery.create(inputs, context)).id).toBe("1");
    expect(context.service.count("submitSelect")).toBe(2);
  });

  test("a lost response without a token: an error that names the remedy, and nothing is sent again", async () => {
    const context = testContext({ submissionToken: false });
    context.service.trouble = (operation) => (operation === "submitSelect" ? "drop after" : undefined);
    await expect(selectQuery.create(inputs, context)).rejects.toThrow(/dag:submissionToken is false/);
    expect(context.service.count("submitSelect")).toBe(1);
  });

  test("an unreachable service: the error of the first request, and no other", async () => {
    const context = testContext();
    context.service.trouble = () => new ConnectionError("no connection");
    await expect(selectQuery.create(inputs, context)).rejects.toThrow("no connection");
    expect(context.service.count("submitSelect")).toBe(0);
  });

  test("a killed process: the next one adopts its running query", async () => {
    const service = new FakeService();
    service.manual = true;
    void selectQuery.create(inputs, testContext({ service })).catch(() => {});
    await until(() => service.records.length === 1);
    const next = new FakeService();
    Object.assign(next, { records: service.records, manual: true });
    const context = testContext({ service: next });
    const created = selectQuery.create(inputs, context);
    await until(() => context.infos.length === 1);
    next.finish(1);
    expect((await created).id).toBe("1");
    expect(next.count("submitSelect")).toBe(0);
    expect(context.infos[0]).toContain("query 1 of an earlier run is identical and still running");
  });

  test("a query of an earlier run that has ended is submitted again", async () => {
    const service = new FakeService();
    await selectQuery.create(inputs, testContext({ service }));
    expect((await selectQuery.create(inputs, testContext({ service }))).id).toBe("2");
  });

  test("the running query of another resource is not adopted", async () => {
    const context = testContext();
    context.service.add("select", { label: "daily#000000000000" });
    context.service.add("select", { label: "daily" });
    expect((await selectQuery.create(inputs, context)).id).toBe("3");
  });
});

test("a rejection: has the service's message, but not when an input is secret", async () => {
  for (const secret of [false, true]) {
    const context = testContext({ secret });
    const refusal = new errors.InvalidDMLStatement("query 1:8 column hunter2 is not there", { requestId: "r1" });
    context.service.trouble = (operation) => (operation === "submitSelect" ? refusal : undefined);
    const error = await selectQuery.create(inputs, context).catch((caught: unknown) => caught as Error);
    expect(error).toBeInstanceOf(errors.InvalidDMLStatement);
    expect(error).toMatchObject({ requestId: "r1" });
    expect((error as Error).message.includes("hunter2")).toBe(!secret);
  }
});

describe("slots", () => {
  test("any number of queries succeeds on any cluster, in order, and the progress shows how many are ahead", async () => {
    const service = new FakeService();
    service.slots = 2;
    const contexts = Array.from({ length: 12 }, (_, n) =>
      testContext({ service, urn: `urn:pulumi:dev::unit::dag:index:SelectQuery::q${n}` }),
    );
    const made = await Promise.all(
      contexts.map((context, n) => selectQuery.create({ ...inputs, label: `q${n}` }, context)),
    );
    expect(made.map(({ id }) => Number(id))).toEqual(contexts.map((_, n) => n + 1));
    expect(contexts.at(-1)!.rows).toContain("[1/3] waiting for a slot (11 ahead)");
    // The cluster rejects one attempt before the queue knows that all slots are in use.
    expect(service.count("submitSelect")).toBeLessThanOrEqual(12 + 1);
    expect(service.count("listQueries")).toBeLessThanOrEqual(2);
  });

  test("waits for a starting cluster", async () => {
    const context = testContext();
    context.service.cluster.status = "restarting";
    context.service.trouble = (operation) =>
      operation === "submitSelect" && context.service.cluster.status === "restarting"
        ? new errors.InvalidClusterState("it is restarting")
        : undefined;
    const created = selectQuery.create(inputs, context);
    await until(() => context.rows.includes("[1/3] waiting for cluster demo (restarting)"));
    context.service.cluster.status = "norm";
    expect((await created).id).toBe("1");
  });

  test("fails for a cluster that will not start by itself", async () => {
    const context = testContext();
    context.service.cluster.status = "stopped";
    context.service.trouble = (operation) =>
      operation === "submitSelect" ? new errors.InvalidClusterState("it is stopped") : undefined;
    await expect(selectQuery.create(inputs, context)).rejects.toThrow("it is stopped");
  });
});
