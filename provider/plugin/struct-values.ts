/**
 * Converts between protobuf structs and values of the lifecycles: unwraps and wraps secrets, and keeps unknown values.
 */
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { unknown } from "../lifecycles";
import { packHiddenInputs, unpackHiddenInputs, type HiddenInputs } from "../lifecycles/freshness/hidden-inputs";

export type Values = Readonly<Record<string, unknown>>;

/** Unwrapped values of a request. */
export interface Unwrapped {
  /** Values without secret markers. {@link unknown} represents unknown values. */
  readonly values: Values;
  /** Names of the properties that are or contain a secret. */
  readonly secrets: ReadonlySet<string>;
}

/** Property that contains the hidden inputs. The engine shows no property whose name begins with two underscores. */
const hiddenKey = "__gen";

/** Decodes the values of a request. */
export function unwrap(struct: Struct | undefined): Unwrapped {
  const secrets = new Set<string>();
  const { [hiddenKey]: hidden, ...given } = (struct?.toJavaScript() ?? {}) as Values;
  const values = Object.entries(given).map(([name, value]) => [name, decode(value, () => secrets.add(name))] as const);
  const own = typeof hidden === "string" ? unpackHiddenInputs(hidden) : {};
  return { values: { ...Object.fromEntries(values), ...own }, secrets };
}

/** Encodes the values of a response. Properties named in `secrets` are wrapped as secrets. */
export function wrap(values: object, secrets: ReadonlySet<string>): Struct {
  const { generation, tables, ...visible } = values as Values & HiddenInputs;
  const hidden = packHiddenInputs({ generation, tables });
  const entries = Object.entries({ ...visible, ...(hidden !== "" && { [hiddenKey]: hidden }) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, secrets.has(name) ? secret(encode(value)) : encode(value)] as const);
  return Struct.fromJavaScript(Object.fromEntries(entries) as Parameters<typeof Struct.fromJavaScript>[0]);
}

/** Key that marks a special value, such as a secret. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** The engine's marker for an unknown string. Responses use it for unknown values of any type. */
const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
/** The engine's markers for unknown values of each type: boolean, number, string, array, asset, archive, object. */
const unknownMarkers: ReadonlySet<unknown> = new Set([
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  unknownText,
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

function secret(value: unknown): Values {
  return { [signatureKey]: secretSignature, value };
}

function decode(value: unknown, foundSecret: () => void): unknown {
  if (unknownMarkers.has(value)) return unknown;
  if (Array.isArray(value)) return value.map((inner) => decode(inner, foundSecret));
  if (typeof value !== "object" || value === null) return value;
  const object = value as Values;
  if (object[signatureKey] === secretSignature) {
    foundSecret();
    return decode(object["value"], foundSecret);
  }
  // No input accepts an asset or an archive. Without its marker key it is an object, which the check rejects.
  const entries = Object.entries(object).filter(([key]) => key !== signatureKey);
  return Object.fromEntries(entries.map(([key, inner]) => [key, decode(inner, foundSecret)]));
}

function encode(value: unknown): unknown {
  if (value === unknown) return unknownText;
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== "object" || value === null) return value;
  const defined = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(defined.map(([key, inner]) => [key, encode(inner)]));
}
