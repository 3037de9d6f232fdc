/** Turns the engine's values into those of the lifecycles and back. */
import { unknown, type Lifecycle, type Properties } from "../lifecycles";
import { hiddenKey, packHidden, providerKey, unpackHidden, type Hidden } from "./hidden";

type Values = Readonly<Record<string, unknown>>;

/** The engine's mark for what a preview does not know. */
const unknownMark = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
/** The engine's mark for a secret value. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** The resource's own values, without those of the front end. */
export function ownValues(values: Values): Values {
  const own = Object.entries(values).filter(([key]) => key !== hiddenKey && key !== providerKey);
  return Object.fromEntries(own.map(([key, value]) => [key, decode(value)]));
}

/** What the class told besides. */
export function hiddenOf(values: Values): Hidden {
  return unpackHidden(values[hiddenKey]);
}

/** Inputs as the engine takes them back. */
export function encodeInputs(inputs: object, hidden: Hidden): Values {
  return { ...(encode(inputs) as Values), [hiddenKey]: packHidden(hidden) };
}

/**
 * Everything that the state keeps. Outputs that quote inputs are secret where an input is; those that only name what
 * the inputs say are left to the classes.
 */
export function encodeState(inputs: object, state: object, hidden: Hidden, { outputs }: Properties): Values {
  const entries = Object.entries(state)
    .filter(([key, value]) => value !== undefined && !outputs[key]?.named)
    .map(([key, value]) => [key, hidden.secret && outputs[key]?.derived ? secret(value) : value] as const);
  const { stale: _stale, ...kept } = hidden;
  return encodeInputs({ ...inputs, ...Object.fromEntries(entries) }, kept);
}

/** A state's values apart: those of inputs and those of outputs. A value that is both is in both. */
export function splitState(values: Values, { properties, named }: Lifecycle<object, object>) {
  const { inputs, outputs } = properties;
  const own = ownValues(values);
  const pick = (names: object) => Object.fromEntries(Object.entries(own).filter(([key]) => Object.hasOwn(names, key)));
  const given = pick(inputs);
  return { inputs: given, state: { ...named(given), ...pick(outputs) } };
}

/** Whether values are a state, and not the inputs of a `get`. */
export function isState(values: Values, { outputs }: Properties): boolean {
  return Object.entries(outputs).every(([key, { always, named }]) => !always || named || values[key] !== undefined);
}

function secret(value: unknown): Values {
  return { [signatureKey]: secretSignature, value };
}

function decode(value: unknown): unknown {
  if (value === unknownMark) return unknown;
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decode(inner)]));
}

function encode(value: unknown): unknown {
  if (value === unknown) return unknownMark;
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => [key, encode(inner)]),
  );
}
