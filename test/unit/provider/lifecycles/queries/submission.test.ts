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

describe("never twice", () => {
  test("a lost answer: the query that arrived is found, and not submitted again", async () => {
    const context = testContext();
    let drops = 1;
    context.service.trouble = (operation) => (operation === "submitSelect" && drops-- > 0 ? "drop after" : undefined);
    expect((await selectQuery.create(inputs, context)).id).toBe("1");
    expect(context.service.records).toHaveLength(1);
  });

  test("a lost answer of a query that ended meanwhile: it is found as well", async () => {
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

  test("a request that never arrived: it is sent again", async () => {
    const context = testContext();
    let drops = 1;
    context.service.trouble = (operation) => (operation === "submitSelect" && drops-- > 0 ? "drop before" : undefined);
    expect((await selectQuery.create(inputs, context)).id).toBe("1");
    expect(context.service.count("submitSelect")).toBe(2);
  });

  test("a lost answer without a token: an error that says what to do, and nothing is sent again", async () => {
    const context = testContext({ submissionToken: false });
    context.service.trouble = (operation) => (operation === "submitSelect" ? "drop after" : undefined);
    await expect(selectQuery.create(inputs, context)).rejects.toThrow(/dag:submissionToken is off/);
    expect(context.service.count("submitSelect")).toBe(1);
  });

  test("a service that is not there: the first request's error, and no other", async () => {
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
    expect(context.infos[0]).toContain("query 1 of an earlier run is the same and still runs");
  });

  test("an earlier run that has ended is run again", async () => {
    const service = new FakeService();
    await selectQuery.create(inputs, testContext({ service }));
    expect((await selectQuery.create(inputs, testContext({ service }))).id).toBe("2");
  });

  test("another's running query is not adopted", async () => {
    const context = testContext();
    context.service.add("select", { label: "daily#000000000000" });
    context.service.add("select", { label: "daily" });
    expect((await selectQuery.create(inputs, context)).id).toBe("3");
  });
});

test("a refusal: is shown as the service says it, and without its message where an input is secret", async () => {
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
  test("any number of queries succeeds on any cluster, in order, and the rows say how many are ahead", async () => {
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
    // One is refused before the queue knows that the cluster is full.
    expect(service.count("submitSelect")).toBeLessThanOrEqual(12 + 1);
    expect(service.count("listQueries")).toBeLessThanOrEqual(2);
  });

  test("a cluster that is about to come is waited for", async () => {
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

  test("a cluster that will not come by itself is an error", async () => {
    const context = testContext();
    context.service.cluster.status = "stopped";
    context.service.trouble = (operation) =>
      operation === "submitSelect" ? new errors.InvalidClusterState("it is stopped") : undefined;
    await expect(selectQuery.create(inputs, context)).rejects.toThrow("it is stopped");
  });
});
