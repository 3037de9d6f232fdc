import { expect, test } from "vitest";
import {
  metadataKey,
  lifecycleName,
  packMetadata,
  resourceType,
  unpackMetadata,
} from "../../../../provider/dynamic/resource-metadata";
import {
  encodeInputs,
  encodeState,
  metadataOf,
  ownValues,
  splitState,
} from "../../../../provider/dynamic/engine-values";
import { lifecycleOf, unknown } from "../../../../provider/lifecycles";
import { isState } from "../../../../provider/lifecycles/schema/properties";

const mark = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const urn = `urn:pulumi:dev::shop::${resourceType("SelectQuery")}::daily`;
const select = lifecycleOf("SelectQuery")!;
const state = {
  queryId: 7,
  status: "finished",
  progress: "100%",
  stage: 1,
  startTime: "",
  accessKeyId: "AK",
  location: "dag://out/a/",
  log: "text",
};
const inputs = { clusterName: "demo", query: "SELECT 1", outputResourcePath: "dag://out/a" };

test("metadata: is short in the state, and complete in the handlers", () => {
  expect(packMetadata({ urn })).toBe("dev::shop::SelectQuery::daily");
  expect(unpackMetadata(packMetadata({ urn }))).toEqual({ urn });
  const nested = `urn:pulumi:dev::shop::my:app:Report$${resourceType("SelectQuery")}::a::b`;
  expect(unpackMetadata(packMetadata({ urn: nested, secret: true }))).toEqual({ urn: nested, secret: true });
  expect(unpackMetadata(undefined)).toEqual({ urn: "" });
  for (const generations of [
    { generation: "abc" },
    { tables: ["xyzdefgh", "---"] },
    { generation: "a_-", tables: ["xyz"] },
  ]) {
    const spaced = `${urn} of the night`;
    expect(unpackMetadata(packMetadata({ urn: spaced, ...generations }))).toEqual({ urn: spaced, ...generations });
  }
  expect(lifecycleName(nested)).toBe("SelectQuery");
});

test("metadata: a lookup is told from a resource of the program when its state is read again", () => {
  const stored = encodeState(inputs, state, { urn, isLookup: true }, select.properties);
  expect(metadataOf(stored)).toEqual({ urn, isLookup: true });
});

test("unknown: converts the engine's marker at any depth in both directions", () => {
  const values = { a: mark, b: [{ c: mark }, 1], [metadataKey]: packMetadata({ urn }), __provider: "code" };
  expect(ownValues(values)).toEqual({ a: unknown, b: [{ c: unknown }, 1] });
  expect(encodeInputs(ownValues(values), { urn })).toEqual({
    a: mark,
    b: [{ c: mark }, 1],
    [metadataKey]: packMetadata({ urn }),
  });
});

test("state: contains inputs and outputs, without outputs computed from the inputs", () => {
  const kept = encodeState(inputs, state, { urn, stale: true }, select.properties);
  const { location: _location, progress: _progress, ...stored } = state;
  expect(kept).toEqual({ ...inputs, ...stored, [metadataKey]: packMetadata({ urn }) });
  expect(splitState(kept, select)).toEqual({ inputs, state });
  const unfinished = { ...state, progress: "40%" };
  expect(splitState(encodeState(inputs, unfinished, { urn }, select.properties), select)).toEqual({
    inputs,
    state: unfinished,
  });
});

test("hidden inputs: are in the metadata of the inputs, and in the state only where a refresh needs them", () => {
  const hidden = { ...inputs, generation: "abc", tables: ["xyz"] };
  const encoded = encodeInputs(hidden, { urn });
  expect(encoded).toEqual({ ...inputs, [metadataKey]: "abc.xyz dev::shop::SelectQuery::daily" });
  expect(ownValues(encoded)).toEqual(hidden);
  expect(splitState(encodeState(hidden, state, { urn }, select.properties), select).inputs).toEqual(inputs);
  const running = { ...state, status: "running" };
  expect(splitState(encodeState(hidden, running, { urn }, select.properties), select).inputs).toEqual(hidden);
  const following = { ...hidden, rerunOnInputChange: true };
  expect(splitState(encodeState(following, state, { urn }, select.properties), select).inputs).toEqual(following);
});

test("state: outputs that quote inputs are secret when an input is secret", () => {
  const kept = encodeState(inputs, state, { urn, secret: true }, select.properties);
  expect(kept["log"]).toEqual({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value: "text",
  });
  expect(kept["status"]).toBe("finished");
  expect(metadataOf(kept)).toEqual({ urn, secret: true });
});

test("isState: distinguishes a state from the inputs of a get", () => {
  expect(isState(encodeState(inputs, state, { urn }, select.properties), select.properties)).toBe(true);
  expect(isState(encodeInputs(inputs, { urn }), select.properties)).toBe(false);
});
