/** What the classes of all resources do: pass the inputs, and what the handlers need besides, to the engine. */
import * as pulumi from "@pulumi/pulumi";
import { parseTimeouts } from "./duration";
import { hiddenKey, packHidden, providerKey, resourceType } from "./hidden";
import { providerCode } from "./provider-code";
import { propertyNames } from "./types";

type ResourceName = keyof typeof propertyNames;

/** A resource of this package. */
export abstract class DagResource extends pulumi.CustomResource {
  /**
   * @param kind name of the resource's lifecycle.
   * @param args its inputs; undefined for a resource that is only looked up.
   */
  protected constructor(
    kind: ResourceName,
    name: string,
    args: object | undefined,
    options: pulumi.CustomResourceOptions,
  ) {
    const type = resourceType(kind);
    if (options.import !== undefined) {
      throw new pulumi.RunError(
        `${kind} "${name}": a dynamic resource cannot be imported, since the engine tells it nothing but an id; ` +
          `use dag.${kind}.get("${name}", "${String(options.import)}") to refer to it`,
      );
    }
    const timeouts = parseTimeouts(kind, name, options.customTimeouts);
    const hidden = pulumi
      .all([pulumi.createUrn(name, type, options.parent), holdsSecret(args ?? {})])
      .apply(([urn, secret]) => packHidden({ urn, ...(secret && { secret }), ...(timeouts && { timeouts }) }));
    const absent = Object.fromEntries(propertyNames[kind].map((property: string) => [property, undefined]));
    super(type, name, { ...absent, ...args, [hiddenKey]: hidden, [providerKey]: providerCode }, options);
  }
}

/**
 * Sets outputs that only say what the inputs say: the state need not keep them, and a preview knows them where it knows
 * the inputs, so that statements made of them can be checked before anything is made.
 */
export function setNamed(resource: DagResource, named: Readonly<Record<string, pulumi.Output<string>>>): void {
  Object.assign(resource, named);
}

/** A location as the folder that it names, ending in `/`. */
export function folderText(location: string): string {
  return location.endsWith("/") ? location : `${location}/`;
}

/** Whether `obj` is a resource of this kind, even one that another copy of this package made. */
export function isKind(kind: ResourceName, obj: unknown): boolean {
  return (obj as { readonly __pulumiType?: unknown } | null | undefined)?.__pulumiType === resourceType(kind);
}

/** True where any input is secret; undefined, which is kept nowhere, where none is. */
async function holdsSecret(args: object): Promise<true | undefined> {
  try {
    return (await pulumi.isSecret(pulumi.output(args))) ? true : undefined;
  } catch {
    // An input that fails is reported by the engine's own look at it.
    return undefined;
  }
}
