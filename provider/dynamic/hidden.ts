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
  readonly timeouts?: { readonly create?: number; readonly update?: number; readonly delete?: number };
  /** Set by a refresh so that inputs differ: the engine asks for a diff only then. */
  readonly stale?: true;
}

/** Type of a resource for the engine, such as `pulumi-nodejs:dynamic/dag:SelectQuery`. */
export function resourceType(name: string): string {
  return `pulumi-nodejs:dynamic/dag:${name}`;
}

/** Name of the resource's lifecycle, from its URN. */
export function lifecycleName(urn: string): string {
  const type = urn.split("::")[2] ?? "";
  return type.slice(type.lastIndexOf(":") + 1);
}
