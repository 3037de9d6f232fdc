import { describe, expect, test } from "vitest";
import { PartialCreate } from "../../../../../provider/lifecycles";
import {
  selectQuery,
  type SelectQueryInputs,
  type SelectQueryState,
} from "../../../../../provider/lifecycles/resources/select-query";
import { testContext, until } from "../context";
import type { FakeService } from "../fake-service";

const inputs: SelectQueryInputs = {
  clusterName: "demo",
  query: "SELECT a FROM db.t",
  outputResourcePath: "dag://out/a/",
  label: "daily",
};

describe("an interrupted wait", () => {
  const interrupted = async (
    given: Parameters<typeof testContext>[0],
    after: (service: FakeService) => void = () => {},
  ) => {
    const context = testContext(given);
    context.service.manual = true;
    const created = selectQuery.create(inputs, context).catch((error: unknown) => error as PartialCreate);
    await until(() => context.service.records.length === 1);
    after(context.service);
    return { context, partial: await created };
  };

  test("stores the id and the state at the timeout, and says how to continue", async () => {
    const { partial } = await interrupted({ timeout: 200 });
    expect(partial).toBeInstanceOf(PartialCreate);
    expect(partial).toMatchObject({ id: "1", state: { queryId: 1, status: "running", location: "dag://out/a/" } });
    expect((partial as PartialCreate).reasons[0]).toMatch(
      /^query 1 is still running after 200 ms .*run "pulumi up" again/,
    );
  });

  test("names the query's page in the console", async () => {
    const { partial } = await interrupted({ timeout: 200, consoleUrl: "https://dag.example.com" });
    expect((partial as PartialCreate).reasons[0]).toMatch(/\n.*: https:\/\/dag\.example\.com\/console\/queries\/1$/);
  });

  test("stores the id and the state when the signal is aborted", async () => {
    const stop = new AbortController();
    const { partial } = await interrupted({ signal: stop.signal }, () => stop.abort());
    expect(partial).toMatchObject({ id: "1", state: { status: "running" } });
  });

  test("stores the id and the state when the record no longer exists, and does not run the query again by itself", async () => {
    const { partial } = await interrupted({}, (service) => service.forget(1));
    expect(partial).toMatchObject({ id: "1" });
    expect((partial as PartialCreate).reasons[0]).toContain('change "triggers" to run it again');
  });

  test("update continues waiting for the same query", async () => {
    const { context, partial } = await interrupted({ timeout: 200 });
    const { state } = partial as PartialCreate<SelectQueryState>;
    const updated = selectQuery.update("1", { inputs, state }, inputs, { ...context, timeout: 60_000 });
    context.service.finish(1);
    expect(await updated).toMatchObject({ status: "finished", log: "done\n" });
    expect(context.service.count("submitSelect")).toBe(1);
  });

  test("update of a query that failed meanwhile stores it as failed, so that it is replaced", async () => {
    const { context, partial } = await interrupted({ timeout: 200 });
    context.service.finish(1, "error", "failed: no\n");
    const { state } = partial as PartialCreate<SelectQueryState>;
    const failed = await selectQuery
      .update("1", { inputs, state }, inputs, context)
      .catch((error: unknown) => error as PartialCreate);
    expect(failed).toMatchObject({ id: "1", state: { status: "error" } });
    expect((failed as PartialCreate).reasons[0]).toContain("failed: no");
    expect(
      selectQuery.diff({ inputs, state: (failed as PartialCreate<SelectQueryState>).state }, inputs).replaces,
    ).toEqual(["status"]);
  });
});
