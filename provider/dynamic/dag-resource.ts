/** The base class of all resources. It passes the inputs and the metadata for the handlers to the engine. */
import * as pulumi from "@pulumi/pulumi";
import { parseTimeouts } from "./duration";
import { warnOfPlainKeys } from "./plain-key";
import { metadataKey, packMetadata, providerKey, resourceType } from "./resource-metadata";
import { providerCode } from "./provider-code";
import { requireSupported, withDeletionFirst } from "./resource-options";
import { propertyNames } from "./types";

type ResourceName = keyof typeof propertyNames;

/** A resource of this package. */
export abstract class DagResource extends pulumi.CustomResource {
  /**
   * @param kind name of the resource's lifecycle.
   * @param args its inputs; undefined for a lookup.
   */
  protected constructor(
    kind: ResourceName,
    name: string,
    args: object | undefined,
    options: pulumi.CustomResourceOptions,
  ) {
    const type = resourceType(kind);
    requireSupported(kind, name, options);
    warnOfPlainKeys();
    const timeouts = parseTimeouts(kind, name, options.customTimeouts);
    const createsFirst = kind === "SplitTable" && options.deleteBeforeReplace === false ? true : undefined;
    const isRetained = kind === "SplitTable" && options.retainOnDelete === true ? true : undefined;
    const metadata = pulumi
      .all([valueOf(pulumi.createUrn(name, type, options.parent)), holdsSecret(args ?? {})])
      .apply(([urn, secret]) => packMetadata({ urn, secret, timeouts, createsFirst, isRetained }));
    const absent = Object.fromEntries(propertyNames[kind].map((property: string) => [property, undefined]));
    const inputs = { ...absent, ...args, [metadataKey]: metadata, [providerKey]: providerCode };
    super(type, name, inputs, withDeletionFirst(kind, options));
  }
}

/** Returns a resource's inputs; none if a program without types omits them, so that the check names those it needs. */
export function givenArgs<Args extends object>(args: Args | undefined): Args {
  return args ?? ({} as Args);
}

/**
 * Sets outputs that are computed from the inputs. The state does not store them, and they are known during preview, so
 * that statements that contain them are checked before any resource is created.
 */
export function setOutputsFromInputs(
  resource: DagResource,
  outputs: Readonly<Record<string, pulumi.Output<string>>>,
): void {
  Object.assign(resource, outputs);
}

/** Returns the progress of a query. The state does not contain that of a finished one. */
export function completeProgress(query: {
  readonly progress: pulumi.Output<string>;
  readonly status: pulumi.Output<string>;
}): pulumi.Output<string> {
  return pulumi
    .all([query.progress as pulumi.Output<string | undefined>, query.status])
    .apply(([progress, status]) => progress ?? (status === "finished" ? "100%" : "")) as pulumi.Output<string>;
}

/** Returns the location with a trailing `/`. A value of another type is left to the check. */
export function withTrailingSlash(location: string): string {
  return typeof location !== "string" || location.endsWith("/") ? location : `${location}/`;
}

/** Returns true when `obj` is a resource of this kind, also if another copy of this package created it. */
export function isKind(kind: ResourceName, obj: unknown): boolean {
  return (obj as { readonly __pulumiType?: unknown } | null | undefined)?.__pulumiType === resourceType(kind);
}

/**
 * Returns the value of an output, without the resources that the output depends on. An input that depends on a component
 * makes its resource wait for all children of the component, so two children with the component's URN among their inputs
 * would wait for each other.
 */
function valueOf<Value>(output: pulumi.Output<Value>): Promise<Value> {
  return (output as unknown as { promise(): Promise<Value> }).promise();
}

/** Returns true when any input is secret; otherwise undefined, which is not stored. */
async function holdsSecret(args: object): Promise<true | undefined> {
  try {
    return (await pulumi.isSecret(pulumi.output(args))) ? true : undefined;
  } catch {
    // The engine reports an input that fails.
    return undefined;
  }
}
