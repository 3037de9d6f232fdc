/** Texts of which only some are allowed: in the SDKs they are enumerations. */

interface Enumeration {
  readonly name: string;
  readonly description: string;
  /** Every value, and what it means. */
  readonly values: Readonly<Record<string, string>>;
}

/** The enumerations; a property has that one whose values are exactly its own. */
const enumerations: readonly Enumeration[] = [
  {
    name: "OutputFormat",
    description: "Format of a result's objects (specification §4.1).",
    values: { csv: "Comma-separated values.", tsv: "Tab-separated values." },
  },
  {
    name: "InputFormat",
    description: "Format of a split's input objects (specification §4.2).",
    values: { csv: "Comma-separated values.", tsv: "Tab-separated values.", json: "One JSON object a line." },
  },
  {
    name: "DeletionPolicy",
    description: "What becomes of the objects when the resource is deleted or replaced.",
    values: { keep: "They stay.", purge: "They are deleted." },
  },
  {
    name: "QueryStatus",
    description: "Status of a query (specification §2.1).",
    values: {
      running: "It was accepted and has not ended.",
      finished: "Its output is complete.",
      canceled: "It was cancelled.",
      error: "It failed; its log says why.",
    },
  },
  {
    name: "QueryType",
    description: "Type of a query (specification §2.1).",
    values: { select: "A HiveQL statement.", split: "Input objects that are cut into a table." },
  },
  {
    name: "ClusterStatus",
    description: "Status of a cluster (specification §2.2).",
    values: {
      init: "It is being set up.",
      reserved: "It is ordered.",
      stopped: "It does not run.",
      starting: "It is coming up.",
      restarting: "It is being restarted.",
      norm: "It takes queries.",
      failed: "Its engine ended by itself.",
      ptfailed: "Some of its instances failed; it takes queries.",
      error: "It does not come back by itself.",
    },
  },
  {
    name: "Order",
    description: "Order of a list (specification §4.3).",
    values: { asc: "The oldest first.", desc: "The newest first." },
  },
];

/** The schema of the enumeration with these values, by its name. Throws where none has them. */
export function enumerationOf(values: readonly string[]): { readonly name: string; readonly schema: object } {
  const same = (own: readonly string[]) => own.length === values.length && values.every((value) => own.includes(value));
  const found = enumerations.find((one) => same(Object.keys(one.values)));
  if (!found) throw new Error(`tools/generate/enums.mts has no enumeration of ${values.join(", ")}`);
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
