/** What a class tells the handlers of its resource that is no input: the SDK passes them nothing else. */

/** The key of it among the inputs. Keys that begin with two underscores are not shown in diffs. */
export const hiddenKey = "__dag";
/** The key under which the SDK keeps {@link providerCode}. */
export const providerKey = "__provider";

export interface Hidden {
  /** The resource's URN: its type says which lifecycle it has. */
  readonly urn: string;
  /** Whether any input is secret; absent for no. */
  readonly secret?: true;
  /** What customTimeouts say, in milliseconds. */
  readonly timeouts?: Timeouts;
  /** Set by a refresh so that inputs differ: the engine asks for a diff only then. */
  readonly stale?: true;
}

export interface Timeouts {
  readonly create?: number;
  readonly update?: number;
  readonly delete?: number;
}

const typePrefix = "pulumi-nodejs:dynamic/dag:";
const urnPrefix = "urn:pulumi:";

/** Type of a resource for the engine, such as `pulumi-nodejs:dynamic/dag:SelectQuery`. */
export function resourceType(name: string): string {
  return `${typePrefix}${name}`;
}

/** Name of the resource's lifecycle, from its URN. */
export function lifecycleName(urn: string): string {
  const type = urn.split("::")[2] ?? "";
  return type.slice(type.lastIndexOf(":") + 1);
}

/** As short as it can be, for the state keeps it twice: often `<stack>::<project>::<type>::<name>` alone. */
export function packHidden({ urn, ...rest }: Hidden): string | Hidden {
  const short = urn.replace(urnPrefix, "").replace(`${typePrefix}`, "");
  return Object.values(rest).some((value) => value !== undefined) ? { urn: short, ...rest } : short;
}

/** What {@link packHidden} packed. */
export function unpackHidden(packed: unknown): Hidden {
  const hidden = typeof packed === "string" ? { urn: packed } : (packed as Hidden | undefined);
  const [stack, project, type, ...name] = (hidden?.urn ?? "").split("::");
  if (type === undefined) return { urn: "" };
  const parents = type.slice(0, type.lastIndexOf("$") + 1);
  const urn = `${urnPrefix}${[stack, project, `${parents}${typePrefix}${type.slice(parents.length)}`, ...name].join("::")}`;
  return { ...hidden, urn };
}
