/** Converts between a resource's properties in the state file and the inputs and outputs of its lifecycle. */
import { hasUnknown, unknown, type Lifecycle, type PropertyDiff } from "../lifecycles";
import { redacted } from "../lifecycles/redaction";
import { isState, withImplied, withoutImplied } from "../lifecycles/schema/properties";
import type { Unwrapped, Values } from "./struct-values";

export type AnyLifecycle = Lifecycle<object, object>;

/** Values of a response, and the names of the secret ones. */
export interface ResponseValues {
  readonly values: object;
  readonly secrets: ReadonlySet<string>;
}

/** Values of a read response; `values` contains all properties. */
export interface ReadValues extends ResponseValues {
  readonly id: string;
  readonly inputs: Unwrapped;
}

/** Returns all properties: inputs and outputs. Outputs that may contain a secret input are secret. */
export function propertiesOf(
  { properties }: AnyLifecycle,
  { values, secrets }: Unwrapped,
  state: object,
): ResponseValues {
  const { outputs } = properties;
  const secretOutputs = secrets.size > 0 ? Object.keys(outputs).filter((name) => outputs[name]!.quotesInputs) : [];
  // The hidden inputs are no outputs: the engine stores inputs anyway.
  const visible = Object.fromEntries(Object.entries(values).filter(([name]) => !properties.inputs[name]?.hidden));
  return {
    values: { ...visible, ...withoutImplied(state, properties) },
    secrets: new Set([...secrets, ...secretOutputs]),
  };
}

/** Removes inputs that equal their default, because SDKs send every default and the state stores inputs twice. */
export function withoutDefaults({ properties }: AnyLifecycle, inputs: Values): Values {
  return Object.fromEntries(
    Object.entries(inputs).filter(([name, value]) => value !== properties.inputs[name]?.fallback),
  );
}

/** Returns the outputs among a resource's properties. */
function stateOf({ properties }: AnyLifecycle, values: Values): Values {
  return pick(values, properties.outputs);
}

/** Property in which dynamic resources store the provider code. */
const providerKey = "__provider";

/** Returns the differences between a state that the dynamic provider wrote and one that the plugin writes. */
export function dynamicStateDifferences(
  { properties }: AnyLifecycle,
  values: Values,
): Readonly<Record<string, PropertyDiff>> {
  const missing = Object.entries(properties.outputs).filter(
    ([name, { always, implied }]) => always && implied === undefined && values[name] === undefined,
  );
  return {
    ...Object.fromEntries(missing.map(([name]) => [name, { kind: "add" as const, replace: false }])),
    ...(Object.hasOwn(values, providerKey) && { [providerKey]: { kind: "delete" as const, replace: false } }),
  };
}

/** Returns a resource in the form of its lifecycle. A property that is both input and output is in both. */
export function toStoredResource(
  lifecycle: AnyLifecycle,
  { inputs, state }: { readonly inputs: Unwrapped; readonly state: Unwrapped },
) {
  const { properties } = lifecycle;
  const hasInputs = Object.keys(inputs.values).length > 0;
  // Engines before 3.74 send no inputs to delete and update; the properties contain the inputs too.
  const given = pick(hasInputs ? inputs.values : state.values, properties.inputs);
  const hasState = isState(state.values, properties);
  const names = hasState ? lifecycle.outputsFromInputs(given) : {};
  const outputs = stateOf(lifecycle, state.values);
  const secrets = [...state.secrets].filter((name) => Object.hasOwn(properties.inputs, name));
  return {
    inputs: given,
    state: { ...names, ...(hasState ? withImplied(outputs, properties) : outputs) },
    secrets: new Set([...inputs.secrets, ...secrets]),
  };
}

/** Returns the outputs for a preview: those of a finished resource, except `result`, which the update reads again. */
export function previewState({ properties, outputsFromInputs }: AnyLifecycle, inputs: Values, old?: Values): Values {
  const finished = old !== undefined && !isUnfinished(old["status"]);
  const kept = (name: string) => finished && name !== "result";
  // An output with the name of an input has the input's value, if it is set.
  const outputs = Object.keys(properties.outputs).map((name) => [
    name,
    inputs[name] ?? (kept(name) ? old![name] : unknown),
  ]);
  return { ...Object.fromEntries(outputs), ...(hasUnknown(inputs) ? {} : outputsFromInputs(inputs)) };
}

/** Returns the message about a resource that a refresh finds failed or unfinished; undefined for a finished one. */
export function unfinishedReason(
  { id, state }: { readonly id: string; readonly state: object },
  context: { readonly secret: boolean },
): string | undefined {
  const { status, recordExpired, queryId, unmetExpectation } = state as Values;
  if (unmetExpectation !== undefined)
    return `the result of query ${id} is not as expected: run "pulumi up" to run it again`;
  if (recordExpired === true || !isUnfinished(status)) return undefined;
  if (queryId === undefined)
    return `the last observed status of cluster ${redacted(id, context)} is ${String(status)}: run "pulumi up" to continue waiting for it`;
  if (status === "running") return `query ${id} is still running: run "pulumi up" to wait for it`;
  return `query ${id} ${status === "error" ? "failed" : "was cancelled"}: run "pulumi up" to run it again`;
}

function isUnfinished(status: unknown): boolean {
  return status !== undefined && status !== "finished" && status !== "norm" && status !== "ptfailed";
}

function pick(values: Values, names: object): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(names, name)));
}
