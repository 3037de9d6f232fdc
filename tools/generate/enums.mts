/** The enumerations of the SDKs: string properties with a fixed set of values. */

interface Enumeration {
  readonly name: string;
  readonly description: string;
  /** The values with their descriptions. */
  readonly values: Readonly<Record<string, string>>;
}

/** All enumerations; {@link enumerationOf} finds the one of a property by its values. */
const enumerations: readonly Enumeration[] = [
  {
    name: "OutputFormat",
    description: "Format of a result's objects.",
    values: { csv: "Comma-separated values.", tsv: "Tab-separated values." },
  },
  {
    name: "InputFormat",
    description: "Format of a split's input objects.",
    values: { csv: "Comma-separated values.", tsv: "Tab-separated values.", json: "One JSON object per line." },
  },
  {
    name: "DeletionPolicy",
    description: "What happens to the objects when the resource is deleted or replaced.",
    values: { keep: "The objects stay.", purge: "The objects that its query made are deleted." },
  },
  {
    name: "QueryStatus",
    description: "Status of a query.",
    values: {
      running: "The query was accepted and has not ended.",
      finished: "The query has ended and its output is complete.",
      canceled: "The query was cancelled.",
      error: "The query failed; the log of a select has the reason.",
    },
  },
  {
    name: "QueryType",
    description: "Type of a query.",
    values: { select: "Runs a HiveQL statement.", split: "Splits input objects into a table." },
  },
  {
    name: "ClusterStatus",
    description: "Status of a cluster.",
    values: {
      init: "The cluster is being set up.",
      reserved: "The cluster is ordered.",
      stopped: "The cluster does not run.",
      starting: "The cluster is starting.",
      restarting: "The cluster is restarting.",
      norm: "The cluster runs and accepts queries.",
      failed: "The cluster's engine ended unexpectedly or did not start.",
      ptfailed: "Some instances have failed; the cluster accepts queries.",
      error: "The cluster has failed and does not restart by itself.",
    },
  },
  {
    name: "Order",
    description: "Order of a list.",
    values: { asc: "Oldest first.", desc: "Newest first." },
  },
];

/**
 * Finds the enumeration with exactly these values.
 *
 * @throws Error when no enumeration has them
 */
export function enumerationOf(values: readonly string[]): { readonly name: string; readonly schema: object } {
  const same = (own: readonly string[]) => own.length === values.length && values.every((value) => own.includes(value));
  const found = enumerations.find((one) => same(Object.keys(one.values)));
  if (!found) throw new Error(`tools/generate/enums.mts has no enumeration of ${values.join(", ")}: add one there`);
  const { name, description } = found;
  return {
    name,
    schema: {
      description,
      type: "string",
      enum: values.map((value) => ({ value, description: found.values[value] })),
    },
  };
}
