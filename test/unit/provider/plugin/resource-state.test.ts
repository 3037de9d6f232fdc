import { describe, expect, test } from "vitest";
import { lifecycleOf, unknown } from "../../../../provider/lifecycles";
import {
  dynamicStateDifferences,
  toStoredResource,
  previewState,
  propertiesOf,
  unfinishedReason,
  withoutDefaults,
} from "../../../../provider/plugin/resource-state";
import { isState } from "../../../../provider/lifecycles/schema/properties";

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
  test("propertiesOf: outputs that quote inputs are secret when an input is secret", () => {
    const { progress: _progress, ...stored } = state;
    const hidden = plain({ ...inputs, generation: "abc", tables: ["xyz"] });
    expect(propertiesOf(select, hidden, state)).toEqual({ values: { ...inputs, ...stored }, secrets: none });
    const { secrets } = propertiesOf(select, { values: inputs, secrets: new Set(["query"]) }, state);
    expect([...secrets].toSorted()).toEqual(["inputsChanged", "location", "log", "query", "result"]);
  });

  test("withoutDefaults: removes inputs that equal their default", () => {
    const given = { ...inputs, outputFormat: "csv", deletionPolicy: "purge" };
    expect(withoutDefaults(select, given)).toEqual({ ...inputs, deletionPolicy: "purge" });
  });

  test("isState: is false for a lookup, and true for a state of the dynamic provider, which has differences", () => {
    const { location: _location, ...withoutNames } = state;
    expect(isState({}, select.properties)).toBe(false);
    expect(isState({ ...inputs, ...withoutNames }, select.properties)).toBe(true);
    expect(dynamicStateDifferences(select, { ...inputs, ...withoutNames, __provider: "code" })).toEqual({
      location: { kind: "add", replace: false },
      __provider: { kind: "delete", replace: false },
    });
    expect(dynamicStateDifferences(select, { ...inputs, ...state })).toEqual({});
  });

  test("toStoredResource: separates inputs and outputs, and computes outputs from the inputs", () => {
    const { location: _location, ...withoutNames } = state;
    const foreign = plain({ ...inputs, ...withoutNames, __provider: "code" });
    expect(toStoredResource(select, { inputs: plain({ ...inputs, __dag: "urn" }), state: foreign })).toEqual({
      inputs,
      state,
      secrets: none,
    });
    expect(toStoredResource(select, { inputs: plain({}), state: foreign }).inputs).toEqual(inputs);
  });

  test("previewState: outputs of the service are unknown before creation and while a query is running", () => {
    const unseen = previewState(select, inputs);
    expect(unseen).toMatchObject({ status: unknown, queryId: unknown, location: "dag://results/x/" });
    expect(previewState(select, { ...inputs, query: unknown })).toMatchObject({ location: unknown });
    expect(previewState(select, inputs, state)).toMatchObject({ status: "finished", queryId: 7, result: unknown });
    expect(previewState(select, inputs, { ...state, status: "running" })).toMatchObject({ status: unknown });
  });

  test.each([
    [{ queryId: 7, status: "finished" }, undefined],
    [{ queryId: 7, status: "running" }, /query 7 is still running/],
    [{ queryId: 7, status: "error" }, /query 7 failed/],
    [{ queryId: 7, status: "canceled" }, /query 7 was cancelled/],
    [{ queryId: 7, status: "running", recordExpired: true }, undefined],
    [{ status: "restarting" }, /the last observed status of cluster 7 is restarting/],
    [{ status: "norm" }, undefined],
    [{ location: "dag://logs/x/" }, undefined],
  ])("unfinishedReason: of %j", (found, reason) => {
    expect(unfinishedReason({ id: "7", state: found }, { secret: false }) ?? "").toMatch(reason ?? /^$/);
  });

  test("unfinishedReason: does not show the name of a cluster when an input is secret", () => {
    const found = { id: "topsecret", state: { status: "restarting" } };
    expect(unfinishedReason(found, { secret: true })).toContain("status of cluster [secret] is restarting");
  });
});
