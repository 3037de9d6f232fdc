/** A resource's properties in the state file, and the inputs and outputs that the lifecycles know. */
import { hasUnknown, unknown, type Lifecycle, type PropertyDiff } from "../lifecycles";
import type { Unwrapped, Values } from "./values";

export type AnyLifecycle = Lifecycle<object, object>;

/** Values of an answer, and which of them are secret. */
export interface Answer {
  readonly values: object;
  readonly secrets: ReadonlySet<string>;
}

/** What a read answers; `values` are all properties. */
export interface ReadAnswer extends Answer {
  readonly id: string;
  readonly inputs: Unwrapped;
}

/** All properties: the inputs and the outputs; those that quote a secret are secret. */
export function propertiesOf({ properties }: AnyLifecycle, { values, secrets }: Unwrapped, state: object): Answer {
  const { outputs } = properties;
  const derived = secrets.size > 0 ? Object.keys(outputs).filter((name) => outputs[name]!.derived) : [];
  return { values: { ...values, ...state }, secrets: new Set([...secrets, ...derived]) };
}

/** Inputs without those that say what leaving them out means: SDKs send every default, and the state keeps all twice. */
export function withoutDefaults({ properties }: AnyLifecycle, inputs: Values): Values {
  return Object.fromEntries(
    Object.entries(inputs).filter(([name, value]) => value !== properties.inputs[name]?.fallback),
  );
}

/** The outputs among a resource's properties. */
function stateOf({ properties }: AnyLifecycle, values: Values): Values {
  return pick(values, properties.outputs);
}

/** Whether values are a resource's state, and not what a look-up by id comes with. */
export function isState({ properties }: AnyLifecycle, values: Values): boolean {
  const { outputs } = properties;
  return Object.entries(outputs).every(([name, { always, named }]) => !always || named || values[name] !== undefined);
}

/** The key under which dynamic resources keep the code that serves them. */
const providerKey = "__provider";

/** What a state that the dynamic provider made has too much or too little of; nothing of one of the plugin's own. */
export function foreignness({ properties }: AnyLifecycle, values: Values): Readonly<Record<string, PropertyDiff>> {
  const lacking = Object.entries(properties.outputs).filter(
    ([name, { always }]) => always && values[name] === undefined,
  );
  return {
    ...Object.fromEntries(lacking.map(([name]) => [name, { kind: "add" as const, replace: false }])),
    ...(Object.hasOwn(values, providerKey) && { [providerKey]: { kind: "delete" as const, replace: false } }),
  };
}

/** A resource as its lifecycle takes it; a value that is both input and output is in both. */
export function knownOf(
  lifecycle: AnyLifecycle,
  { inputs, state }: { readonly inputs: Unwrapped; readonly state: Unwrapped },
) {
  const { properties } = lifecycle;
  const hasInputs = Object.keys(inputs.values).length > 0;
  // Engines before 3.74 send no inputs to delete and update, where the properties have them too.
  const given = pick(hasInputs ? inputs.values : state.values, properties.inputs);
  const names = isState(lifecycle, state.values) ? lifecycle.named(given) : {};
  const secrets = [...state.secrets].filter((name) => Object.hasOwn(properties.inputs, name));
  return {
    inputs: given,
    state: { ...names, ...stateOf(lifecycle, state.values) },
    secrets: new Set([...inputs.secrets, ...secrets]),
  };
}

/** Outputs as a preview tells them: those of a finished resource stay, but for what is looked at anew. */
export function previewedState({ properties, named }: AnyLifecycle, inputs: Values, old?: Values): Values {
  const finished = old !== undefined && !isUnfinished(old["status"]);
  const kept = (name: string) => finished && name !== "result";
  // An output that has an input's name is the input's value where one is given.
  const outputs = Object.keys(properties.outputs).map((name) => [
    name,
    inputs[name] ?? (kept(name) ? old![name] : unknown),
  ]);
  return { ...Object.fromEntries(outputs), ...(hasUnknown(inputs) ? {} : named(inputs)) };
}

/** What is said of a resource that a refresh finds failed or not finished; undefined for one that is as it must be. */
export function unfinishedReason({ id, state }: { readonly id: string; readonly state: object }): string | undefined {
  const { status, recordExpired, queryId } = state as Values;
  if (recordExpired === true || !isUnfinished(status)) return undefined;
  if (queryId === undefined) return `cluster ${id} was last seen ${String(status)}: "pulumi up" goes on waiting for it`;
  if (status === "running") return `query ${id} still runs: "pulumi up" waits for it`;
  return `query ${id} ${status === "error" ? "failed" : "was cancelled"}: "pulumi up" runs it anew`;
}

function isUnfinished(status: unknown): boolean {
  return status !== undefined && status !== "finished" && status !== "norm" && status !== "ptfailed";
}

function pick(values: Values, names: object): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(names, name)));
}
