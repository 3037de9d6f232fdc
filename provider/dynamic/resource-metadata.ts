/** Metadata that a resource class passes to its handlers as an additional input, because the SDK passes only inputs. */

/** Input that contains the metadata. Pulumi does not show keys with two leading underscores in diffs. */
export const metadataKey = "__dag";
/** Property in which the SDK stores {@link providerCode}. */
export const providerKey = "__provider";

/** Metadata of a resource. */
export interface ResourceMetadata {
  /** URN of the resource. Its type determines the lifecycle. */
  readonly urn: string;
  /** True when any input is secret; absent otherwise. */
  readonly secret?: true;
  /** The resource's customTimeouts, in milliseconds. */
  readonly timeouts?: OperationTimeouts;
  /** Set by a refresh to make the inputs differ, because the engine calls diff only for changed inputs. */
  readonly stale?: true;
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

/** Encodes metadata compactly, because the state stores it twice: usually as `<stack>::<project>::<type>::<name>`. */
export function packMetadata({ urn, ...rest }: ResourceMetadata): string | ResourceMetadata {
  const short = urn.replace(urnPrefix, "").replace(`${typePrefix}`, "");
  return Object.values(rest).some((value) => value !== undefined) ? { urn: short, ...rest } : short;
}

/** Decodes metadata that {@link packMetadata} encoded. */
export function unpackMetadata(packed: unknown): ResourceMetadata {
  const metadata = typeof packed === "string" ? { urn: packed } : (packed as ResourceMetadata | undefined);
  const [stack, project, type, ...name] = (metadata?.urn ?? "").split("::");
  if (type === undefined) return { urn: "" };
  const parents = type.slice(0, type.lastIndexOf("$") + 1);
  const urn = `${urnPrefix}${[stack, project, `${parents}${typePrefix}${type.slice(parents.length)}`, ...name].join("::")}`;
  return { ...metadata, urn };
}
