import { describe, expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { ConnectionError, UnexpectedAnswerError } from "../../../../../provider/client";
import { submittedLabel } from "../../../../../provider/lifecycles/queries/submission-token";
import { selectQuery, type SelectQueryInputs } from "../../../../../provider/lifecycles/resources/select-query";
import { splitTable } from "../../../../../provider/lifecycles/resources/split-table";
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

  test("a request that the service accepts five seconds after its connection broke: it is found, and not sent again", async () => {
    const service = new FakeService();
    const identity = {
      ...inputs,
      location: inputs.outputResourcePath,
      outputFormat: "csv",
      outputResourcePath: undefined,
    };
    let [sent, slept] = [false, 0];
    service.trouble = (operation) => {
      if (operation !== "submitSelect") return undefined;
      sent = true;
      return "drop before";
    };
    const context = testContext({
      service,
      sleep: async (milliseconds) => {
        if (sent) slept += milliseconds;
        if (slept < 5_000 || service.records.length > 0) return;
        service.add("select", {
          ...inputs,
          label: submittedLabel(inputs.label, { urn: context.urn, inputs: identity }),
        });
      },
    });
    expect((await selectQuery.create(inputs, context)).id).toBe("1");
    expect(service.count("submitSelect")).toBe(1);
  });

  test("a request that did not arrive: it is sent again", async () => {
    const context = testContext();
    let drops = 1;
    context.service.trouble = (operation) => (operation === "submitSelect" && drops-- > 0 ? "drop before" : undefined);
    expect((await selectQuery.create(inputs, context)).id).toBe("1");
    expect(context.service.count("submitSelect")).toBe(2);
  });

  test.each([
    ["503 of the service", new errors.ServiceUnavailable("busy")],
    ["429 of the service", new errors.TooManyRequests("slow down")],
    ["408 of the service", new errors.RequestTimeout("too slow")],
    ["500 of the service", new errors.InternalError("it broke")],
    ["503 of a proxy", new UnexpectedAnswerError("busy", { status: 503, sent: true })],
  ])("%s after the execution: the submitted query is found, and not submitted again", async (_, failure) => {
    const context = testContext();
    context.service.trouble = (operation) => (operation === "submitSelect" ? { after: failure } : undefined);
    expect((await selectQuery.create(inputs, context)).id).toBe("1");
    expect(context.service.count("submitSelect")).toBe(1);
  });

  test("a long burst of 503 and 429: the query is submitted once, when the burst is over", async () => {
    const context = testContext();
    let failures = 12;
    context.service.trouble = (operation) => {
      if (operation !== "submitSelect" || failures-- <= 0) return undefined;
      return failures % 2 === 0 ? new errors.ServiceUnavailable("busy") : new errors.TooManyRequests("slow down");
    };
    expect((await selectQuery.create(inputs, context)).id).toBe("1");
    expect(context.service.count("submitSelect")).toBe(13);
    expect(context.rows).toContain("[1/3] the submission failed (ServiceUnavailable); searching for the query");
  });

  test("503 until the timeout: fails with the service's error", async () => {
    const context = testContext({ timeout: 100 });
    context.service.trouble = (operation) =>
      operation === "submitSelect" ? new errors.ServiceUnavailable("busy") : undefined;
    await expect(selectQuery.create(inputs, context)).rejects.toBeInstanceOf(errors.ServiceUnavailable);
  });

  test("a search that fails at first: it is repeated before the query is submitted again", async () => {
    const context = testContext();
    let failures = 4;
    let submitted = false;
    context.service.trouble = (operation) => {
      if (operation === "submitSelect") {
        submitted = true;
        return { after: new errors.ServiceUnavailable("busy") };
      }
      return submitted && operation === "listQueries" && failures-- > 0
        ? new errors.ServiceUnavailable("busy")
        : undefined;
    };
    expect((await selectQuery.create(inputs, context)).id).toBe("1");
    expect(context.service.count("submitSelect")).toBe(1);
  });

  test.each([new errors.InvalidOutputResourcePath("the folder is in use"), new errors.TooManyQueries("it is full")])(
    "a rejection that the query of an earlier attempt causes: that query is adopted: $code",
    async (rejection) => {
      const context = testContext();
      const { clusterName, query, outputResourcePath: location, label } = inputs;
      const identity = { clusterName, query, location, outputFormat: "csv", label, triggers: undefined };
      const submitted = submittedLabel(label, { urn: context.urn, inputs: identity });
      let attempts = 0;
      context.service.trouble = (operation) => {
        if (operation !== "submitSelect") return undefined;
        attempts += 1;
        if (attempts === 1) return new errors.ServiceUnavailable("busy");
        // The first request arrives after the search for it.
        if (attempts === 2) context.service.add("select", { ...inputs, label: submitted });
        return rejection;
      };
      expect((await selectQuery.create(inputs, context)).id).toBe("1");
      expect(context.service.records).toHaveLength(1);
    },
  );

  test("a table that an earlier attempt is creating: its split is adopted", async () => {
    const context = testContext();
    let attempts = 0;
    const table = { clusterName: "demo", inputObjectKeys: ["dag://in/a.csv"], outputDatabase: "db", outputTable: "t" };
    const label = submittedLabel(undefined, { urn: context.urn, inputs: table });
    context.service.trouble = (operation) => {
      if (operation !== "submitSplit") return undefined;
      attempts += 1;
      if (attempts === 1) return new errors.ServiceUnavailable("busy");
      // The first request arrives after the search for it. The service reports the inputs in another form.
      context.service.add("split", { ...table, inputObjectKeys: ["dag://in/a.csv?"], label });
      return undefined;
    };
    expect((await splitTable.create(table, context)).id).toBe("1");
    expect(context.service.count("submitSplit")).toBe(2);
  });

  test("a folder that a query of a killed process uses, which arrived after the first list: it is adopted", async () => {
    const context = testContext();
    context.service.trouble = (operation) => {
      if (operation !== "submitSelect") return undefined;
      const { query, outputResourcePath: location, label } = inputs;
      const identity = { clusterName: "demo", query, location, outputFormat: "csv", label, triggers: undefined };
      context.service.add("select", {
        ...inputs,
        label: submittedLabel(label, { urn: context.urn, inputs: identity }),
      });
      return new errors.InvalidOutputResourcePath("the folder is in use");
    };
    expect((await selectQuery.create(inputs, context)).id).toBe("1");
    expect(context.service.count("submitSelect")).toBe(1);
  });

  test.each(["demo", "other"])(
    "a folder that a query of this resource with other inputs uses, on cluster %s: it is cancelled",
    async (clusterName) => {
      const context = testContext();
      context.service.manual = true;
      const label = submittedLabel("before", { urn: context.urn, inputs: { query: "SELECT 0" } });
      context.service.add("select", { ...inputs, clusterName, query: "SELECT 0", label });
      context.service.trouble = (operation) => {
        if (operation !== "submitSelect" || context.service.records[0]!.status !== "running") return undefined;
        return new errors.InvalidOutputResourcePath("the folder is in use");
      };
      const created = selectQuery.create(inputs, context);
      await until(() => context.service.records.length === 2);
      context.service.finish(2);
      expect((await created).id).toBe("2");
      expect(context.service.records[0]!.status).toBe("canceled");
      expect(context.infos[0]).toContain("query 1 of an interrupted run of this resource has other inputs");
    },
  );

  test.each([
    ["of another resource", "urn:pulumi:dev::unit::dag:index:Any::two", inputs.outputResourcePath],
    ["of another folder", undefined, "dag://elsewhere/x/"],
  ])("a folder in use, and a running query %s: it is not cancelled", async (_which, urn, outputResourcePath) => {
    const context = testContext();
    context.service.manual = true;
    const label = submittedLabel(undefined, { urn: urn ?? context.urn, inputs: {} });
    context.service.add("select", { ...inputs, outputResourcePath, label });
    context.service.trouble = (operation) =>
      operation === "submitSelect" ? new errors.InvalidOutputResourcePath("query 1 writes there") : undefined;
    await expect(selectQuery.create(inputs, context)).rejects.toThrow("query 1 writes there");
    expect(context.service.records[0]!.status).toBe("running");
  });

  test.each(["the same inputs", "other inputs"])(
    "a running query of %s, of another access key and the same URN: it is neither adopted nor cancelled",
    async (which) => {
      const service = new FakeService();
      service.manual = true;
      const query = which === "other inputs" ? "SELECT 0" : inputs.query;
      void selectQuery.create({ ...inputs, query }, testContext({ service })).catch(() => {});
      await until(() => service.records.length === 1);
      Object.assign(service.records[0]!, { accessKeyId: "OTHER" });
      service.trouble = (operation) =>
        operation === "submitSelect" ? new errors.InvalidOutputResourcePath("query 1 writes there") : undefined;
      const next = new FakeService();
      Object.assign(next, { records: service.records, manual: true, trouble: service.trouble });
      const created = selectQuery.create(inputs, testContext({ service: next }));
      await expect(created).rejects.toThrow(
        /^query 1 of access key OTHER writes to .* neither adopted nor cancelled.*key was/,
      );
      expect(service.records).toMatchObject([{ status: "running" }]);
    },
  );

  test("a lost response: an identical query of another access key is not taken for the submitted one", async () => {
    const context = testContext();
    let drops = 1;
    context.service.trouble = (operation) => {
      if (operation !== "submitSelect" || drops-- <= 0) return undefined;
      const { query, outputResourcePath: location, label } = inputs;
      const identity = { clusterName: "demo", query, location, outputFormat: "csv", label, triggers: undefined };
      const submitted = submittedLabel(label, { urn: context.urn, inputs: identity });
      context.service.add("select", { ...inputs, label: submitted, accessKeyId: "OTHER" });
      return "drop before";
    };
    expect((await selectQuery.create(inputs, context)).id).toBe("2");
  });

  test("a table that a split of this resource with other inputs is making: it is cancelled", async () => {
    const context = testContext();
    context.service.manual = true;
    const table = {
      clusterName: "demo",
      inputObjectKeys: ["dag://in/a.csv"],
      outputDatabase: "shop",
      outputTable: "t",
    };
    const label = submittedLabel(undefined, { urn: context.urn, inputs: {} });
    context.service.add("split", { ...table, inputObjectKeys: ["dag://in/b.csv"], label });
    const created = splitTable.create(table, context);
    await until(() => context.service.records.length === 2);
    context.service.finish(2);
    expect((await created).id).toBe("2");
    expect(context.service.records[0]!.status).toBe("canceled");
  });

  test("an invalid folder: fails with the service's rejection", async () => {
    const context = testContext();
    context.service.trouble = (operation) =>
      operation === "submitSelect" ? new errors.InvalidOutputResourcePath("the folder is not valid") : undefined;
    await expect(selectQuery.create(inputs, context)).rejects.toBeInstanceOf(errors.InvalidOutputResourcePath);
    expect(context.service.count("submitSelect")).toBe(1);
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

  test("a killed process, then another folder: the query that it has left behind is named, and not cancelled", async () => {
    const service = new FakeService();
    service.manual = true;
    void selectQuery.create(inputs, testContext({ service })).catch(() => {});
    await until(() => service.records.length === 1);
    // The next process has no list of the queries yet.
    const context = testContext({ service, now: () => Date.now() + 60_000 });
    const created = selectQuery.create({ ...inputs, outputResourcePath: "dag://out/b/" }, context);
    await until(() => service.records.length === 2);
    service.finish(2);
    expect((await created).id).toBe("2");
    expect(context.warnings).toEqual([
      "query 1, which an interrupted run of this resource has left behind, still runs and writes to dag://out/a/: cancel " +
        "it if nobody needs its result",
    ]);
    expect(service.records[0]!.status).toBe("running");
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
