/** Metadata that a resource class passes to its handlers as an additional input, because the SDK passes only inputs. */

import { packHiddenInputs, unpackHiddenInputs } from "../lifecycles/freshness/hidden-inputs";

/** Input that contains the metadata. Pulumi does not show keys with two leading underscores in diffs. */
export const metadataKey = "__dag";
/** Property in which the SDK stores {@link providerCode}. */
export const providerKey = "__provider";

/** Metadata of a resource. */
export interface ResourceMetadata {
  /** URN of the resource. Its type determines the lifecycle. */
  readonly urn: string;
  /** True when any input is secret; absent otherwise. */
  readonly secret?: true | undefined;
  /** The resource's customTimeouts, in milliseconds. */
  readonly timeouts?: OperationTimeouts | undefined;
  /** True when the program sets `deleteBeforeReplace: false` on a table; absent otherwise. */
  readonly createsFirst?: true | undefined;
  /** True when the program sets `retainOnDelete` on a table; absent otherwise. The engine keeps the option of the last `up`. */
  readonly isRetained?: true | undefined;
  /** Set by the read of a lookup, such as `SelectQuery.get`, for a refresh of it. */
  readonly isLookup?: true | undefined;
  /** Set by a refresh to make the inputs differ, because the engine calls diff only for changed inputs. */
  readonly stale?: true | undefined;
  /** Hidden input `generation` of the lifecycle, which the check adds. */
  readonly generation?: string | undefined;
  /** Hidden input `tables` of the lifecycle, which the check adds. */
  readonly tables?: readonly string[] | undefined;
}

/** Timeouts of operations on a resource, in milliseconds. */
export interface OperationTimeouts {
  readonly create?: number;
  readonly update?: number;
  readonly delete?: number;
}

const typePrefix = "pulumi-nodejs:dynamic/dag:";
const urnPrefix = "urn:pulumi:";

/** Returns the Pulumi type of a resource, such as `pulumi-nodejs:dynamic/dag:SelectQuery`. */
export function resourceType(name: string): string {
  return `${typePrefix}${name}`;
}

/** Returns the name of a resource's lifecycle, from its URN. */
export function lifecycleName(urn: string): string {
  const type = urn.split("::")[2] ?? "";
  return type.slice(type.lastIndexOf(":") + 1);
}

/**
 * Encodes metadata compactly, because the state stores it twice: usually as `<stack>::<project>::<type>::<name>`, after
 * the generations and a space, if there are any. A stack's name contains no space.
 */
export function packMetadata({ urn, generation, tables, ...rest }: ResourceMetadata): string | PackedMetadata {
  const plain = urn.replace(urnPrefix, "").replace(`${typePrefix}`, "");
  const generations = packHiddenInputs({ generation, tables });
  const short = generations === "" ? plain : `${generations} ${plain}`;
  const present = Object.entries(rest).filter(([, value]) => value !== undefined);
  return present.length > 0 ? { urn: short, ...Object.fromEntries(present) } : short;
}

/** Metadata with other values than the URN and the generations. */
type PackedMetadata = Omit<ResourceMetadata, "generation" | "tables">;

/** Decodes metadata that {@link packMetadata} encoded. */
export function unpackMetadata(packed: unknown): ResourceMetadata {
  const metadata = typeof packed === "string" ? { urn: packed } : (packed as PackedMetadata | undefined);
  const [, generations = "", short = ""] = /^(?:([\w.-]+) )?(.*)$/s.exec(metadata?.urn ?? "") ?? [];
  const [stack, project, type, ...name] = short.split("::");
  if (type === undefined) return { urn: "" };
  const parents = type.slice(0, type.lastIndexOf("$") + 1);
  const urn = `${urnPrefix}${[stack, project, `${parents}${typePrefix}${type.slice(parents.length)}`, ...name].join("::")}`;
  return { ...metadata, urn, ...unpackHiddenInputs(generations) };
}
