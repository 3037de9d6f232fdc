import { describe, expect, test } from "vitest";
import { lifecycleOf, unknown } from "../../../../provider/lifecycles";
import {
  foreignness,
  isState,
  knownOf,
  previewedState,
  propertiesOf,
  unfinishedReason,
  withoutDefaults,
} from "../../../../provider/plugin/properties";

const select = lifecycleOf("SelectQuery")!;
const inputs = { clusterName: "demo", query: "SELECT 1", outputResourcePath: "dag://results/x" };
const state = {
  queryId: 7,
  status: "finished",
  progress: "100%",
  startTime: "2026-11-20 10:00:00",
  accessKeyId: "AK",
  stage: 1,
  location: "dag://results/x/",
  log: "a line",
};
const none = new Set<string>();
const plain = (values: object) => ({ values: { ...values }, secrets: none });

describe("properties", () => {
  test("propertiesOf: what quotes an input is secret where any input is", () => {
    expect(propertiesOf(select, plain(inputs), state)).toEqual({ values: { ...inputs, ...state }, secrets: none });
    const { secrets } = propertiesOf(select, { values: inputs, secrets: new Set(["query"]) }, state);
    expect([...secrets].toSorted()).toEqual(["location", "log", "query", "result"]);
  });

  test("withoutDefaults: leaves out what says what leaving it out means", () => {
    const given = { ...inputs, outputFormat: "csv", deletionPolicy: "purge" };
    expect(withoutDefaults(select, given)).toEqual({ ...inputs, deletionPolicy: "purge" });
  });

  test("isState: what a look-up comes with is none; what the dynamic provider keeps is, and is foreign", () => {
    const { location: _location, ...withoutNames } = state;
    expect(isState(select, {})).toBe(false);
    expect(isState(select, { ...inputs, ...withoutNames })).toBe(true);
    expect(foreignness(select, { ...inputs, ...withoutNames, __provider: "code" })).toEqual({
      location: { kind: "add", replace: false },
      __provider: { kind: "delete", replace: false },
    });
    expect(foreignness(select, { ...inputs, ...state })).toEqual({});
  });

  test("knownOf: tells inputs and outputs apart, and what only names the inputs by itself", () => {
    const { location: _location, ...withoutNames } = state;
    const foreign = plain({ ...inputs, ...withoutNames, __provider: "code" });
    expect(knownOf(select, { inputs: plain({ ...inputs, __dag: "urn" }), state: foreign })).toEqual({
      inputs,
      state,
      secrets: none,
    });
    expect(knownOf(select, { inputs: plain({}), state: foreign }).inputs).toEqual(inputs);
  });

  test("previewedState: nothing that the service says is known before, nor what a running query will say", () => {
    const unseen = previewedState(select, inputs);
    expect(unseen).toMatchObject({ status: unknown, queryId: unknown, location: "dag://results/x/" });
    expect(previewedState(select, { ...inputs, query: unknown })).toMatchObject({ location: unknown });
    expect(previewedState(select, inputs, state)).toMatchObject({ status: "finished", queryId: 7, result: unknown });
    expect(previewedState(select, inputs, { ...state, status: "running" })).toMatchObject({ status: unknown });
  });

  test.each([
    [{ queryId: 7, status: "finished" }, undefined],
    [{ queryId: 7, status: "running" }, /query 7 still runs/],
    [{ queryId: 7, status: "error" }, /query 7 failed/],
    [{ queryId: 7, status: "canceled" }, /query 7 was cancelled/],
    [{ queryId: 7, status: "running", recordExpired: true }, undefined],
    [{ status: "restarting" }, /cluster 7 was last seen restarting/],
    [{ status: "norm" }, undefined],
    [{ location: "dag://logs/x/" }, undefined],
  ])("unfinishedReason: of %j", (found, reason) => {
    expect(unfinishedReason({ id: "7", state: found }) ?? "").toMatch(reason ?? /^$/);
  });
});
