/** Converts between the engine's values and those of the lifecycles. */
import { unknown, type Lifecycle, type Properties } from "../lifecycles";
import type { HiddenInputs } from "../lifecycles/freshness/hidden-inputs";
import { isState, withImplied, withoutImplied } from "../lifecycles/schema/properties";
import { metadataKey, packMetadata, providerKey, unpackMetadata, type ResourceMetadata } from "./resource-metadata";

type Values = Readonly<Record<string, unknown>>;

/** The engine's marker for a value that is unknown during preview. */
const unknownMarker = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
/** The key and value by which the engine marks a secret. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** Returns the resource's own values, with the hidden inputs, and without the other metadata and the provider code. */
export function ownValues(values: Values): Values {
  const own = Object.entries(values).filter(([key]) => key !== metadataKey && key !== providerKey);
  const { generation, tables } = metadataOf(values);
  return {
    ...Object.fromEntries(own.map(([key, value]) => [key, decode(value)])),
    ...(generation !== undefined && { generation }),
    ...(tables !== undefined && { tables }),
  };
}

/** Returns the metadata that the resource class passed. */
export function metadataOf(values: Values): ResourceMetadata {
  return unpackMetadata(values[metadataKey]);
}

/** Encodes inputs for the engine. The metadata contains the hidden ones. */
export function encodeInputs(inputs: object, metadata: ResourceMetadata): Values {
  const { urn, secret: isSecret, timeouts, isRetained, isLookup, stale } = metadata;
  const { generation, tables, ...own } = inputs as Values & HiddenInputs;
  return {
    ...(encode(own) as Values),
    [metadataKey]: packMetadata({ urn, secret: isSecret, timeouts, isRetained, isLookup, stale, generation, tables }),
  };
}

/**
 * Encodes the state. Outputs that quote inputs are secret when an input is secret. Outputs that are computed from the
 * inputs are left out, because the resource classes set them; so are the hidden inputs, because the engine stores them
 * with its inputs, unless a refresh needs them: of a resource that is waited for, or that follows its input objects.
 */
export function encodeState(inputs: object, state: object, metadata: ResourceMetadata, properties: Properties): Values {
  const { outputs } = properties;
  const entries = Object.entries(withoutImplied(state, properties))
    .filter(([key]) => !outputs[key]?.fromInputs)
    .map(([key, value]) => [key, metadata.secret && outputs[key]?.quotesInputs ? secret(value) : value] as const);
  const { stale: _stale, ...kept } = metadata;
  const { generation: _generation, tables: _tables, ...visible } = inputs as Values;
  const isNeeded = (state as Values)["status"] === "running" || visible["rerunOnInputChange"] === true;
  return encodeInputs({ ...(isNeeded ? inputs : visible), ...Object.fromEntries(entries) }, kept);
}

/** Splits a state into inputs and outputs. A property that is both is in both. */
export function splitState(values: Values, { properties, outputsFromInputs }: Lifecycle<object, object>) {
  const { inputs, outputs } = properties;
  const own = ownValues(values);
  const pick = (names: object) => Object.fromEntries(Object.entries(own).filter(([key]) => Object.hasOwn(names, key)));
  const given = pick(inputs);
  const state = isState(own, properties) ? withImplied(pick(outputs), properties) : pick(outputs);
  return { inputs: given, state: { ...outputsFromInputs(given), ...state } };
}

function secret(value: unknown): Values {
  return { [signatureKey]: secretSignature, value };
}

function decode(value: unknown): unknown {
  if (value === unknownMarker) return unknown;
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decode(inner)]));
}

function encode(value: unknown): unknown {
  if (value === unknown) return unknownMarker;
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => [key, encode(inner)]),
  );
}
