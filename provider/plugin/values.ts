/** The engine's values and the lifecycles': secrets are unwrapped and wrapped again, unknowns stay unknown. */
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { unknown } from "../lifecycles";

export type Values = Readonly<Record<string, unknown>>;

/** A request's values. */
export interface Unwrapped {
  /** Without marks of secrets; {@link unknown} stands for what is not known yet. */
  readonly values: Values;
  /** Names of the properties that are, or hold, a secret. */
  readonly secrets: ReadonlySet<string>;
}

/** Reads the values of a request. */
export function unwrap(struct: Struct | undefined): Unwrapped {
  const secrets = new Set<string>();
  const entries = Object.entries((struct?.toJavaScript() ?? {}) as Values);
  const values = entries.map(([name, value]) => [name, plain(value, () => secrets.add(name))] as const);
  return { values: Object.fromEntries(values), secrets };
}

/** Writes the values of an answer; properties whose names are in `secrets` are wrapped as secret. */
export function wrap(values: object, secrets: ReadonlySet<string>): Struct {
  const entries = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, secrets.has(name) ? secret(marked(value)) : marked(value)] as const);
  return Struct.fromJavaScript(Object.fromEntries(entries) as Parameters<typeof Struct.fromJavaScript>[0]);
}

/** The key of a value's kind, where it is not plain. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** The engine's mark for a text that is not known yet; it stands for any value in answers. */
const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
/** The marks for values of each type: boolean, number, text, array, asset, archive, object. */
const unknownMarks: ReadonlySet<unknown> = new Set([
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

function plain(value: unknown, foundSecret: () => void): unknown {
  if (unknownMarks.has(value)) return unknown;
  if (Array.isArray(value)) return value.map((inner) => plain(inner, foundSecret));
  if (typeof value !== "object" || value === null) return value;
  const object = value as Values;
  if (object[signatureKey] === secretSignature) {
    foundSecret();
    return plain(object["value"], foundSecret);
  }
  // Nothing here takes an asset or an archive: as an object it is refused, in words that say what was given.
  const entries = Object.entries(object).filter(([key]) => key !== signatureKey);
  return Object.fromEntries(entries.map(([key, inner]) => [key, plain(inner, foundSecret)]));
}

function marked(value: unknown): unknown {
  if (value === unknown) return unknownText;
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value !== "object" || value === null) return value;
  const known = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(known.map(([key, inner]) => [key, marked(inner)]));
}
