/** One example of each resource, in each language of the SDKs. */

type Value = string | number | boolean | readonly Value[];

/** A resource of an example program. */
export interface Example {
  readonly title: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, Value>>;
}

/** The examples, by the resource's name. */
export const examples: Readonly<Record<string, Example>> = {
  SplitTable: {
    title: "Split a large file into a table",
    name: "events",
    inputs: {
      clusterName: "demo",
      inputObjectKeys: ["dag://landing/events.csv"],
      outputDatabase: "analytics",
      outputTable: "events",
      schema: "timestamp at, string kind, double amount",
    },
  },
  SelectQuery: {
    title: "Run a report and return its first rows as outputs",
    name: "strikes",
    inputs: {
      clusterName: "demo",
      query: "SELECT state, count(*) AS strikes FROM wildlife.strikes GROUP BY state",
      outputResourcePath: "dag://results/strikes-by-state/",
      resultRows: 10,
    },
  },
  ClusterRestart: {
    title: "Restart a cluster after its running queries have ended",
    name: "restart",
    inputs: { clusterName: "demo", drain: true, triggers: ["2026-11-20"] },
  },
  ClusterLogExport: {
    title: "Export a cluster's logs to storage",
    name: "logs",
    inputs: { clusterName: "demo", outputLogPath: "dag://logs/demo/", compress: true },
  },
};

/** Writers of a program with one resource, by the language's name in Markdown code blocks. */
export const languages: Readonly<Record<string, (kind: string, example: Example) => string>> = {
  typescript: (kind, { name, inputs }) =>
    [
      'import * as dag from "pulumi-dag";',
      "",
      `const ${name} = new dag.${kind}("${name}", {`,
      ...fields(inputs).map(([key, value]) => `  ${key}: ${json(value)},`),
      "});",
    ].join("\n"),
  python: (kind, { name, inputs }) =>
    [
      "import pulumi_dag as dag",
      "",
      `${name} = dag.${kind}("${name}",`,
      ...fields(inputs).map(([key, value]) => `    ${snakeCase(key)}=${python(value)},`),
      ")",
    ].join("\n"),
  go: (kind, { name, inputs }) =>
    [
      "package main",
      "",
      "import (",
      `\t"${goPackage}"`,
      '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"',
      ")",
      "",
      "func main() {",
      "\tpulumi.Run(func(ctx *pulumi.Context) error {",
      `\t\t_, err := dag.New${kind}(ctx, "${name}", &dag.${kind}Args{`,
      ...aligned(
        fields(inputs).map(([key, value]) => [`${key[0]!.toUpperCase()}${key.slice(1)}:`, `${go(key, value)},`]),
      ),
      "\t\t})",
      "\t\treturn err",
      "\t})",
      "}",
    ].join("\n"),
  yaml: (kind, { name, inputs }) =>
    [
      "resources:",
      `  ${name}:`,
      `    type: dag:${kind}`,
      "    properties:",
      ...fields(inputs).map(([key, value]) => `      ${key}: ${json(value)}`),
    ].join("\n"),
};

/** The import path of the Go SDK. */
export const goPackage = "github.com/pulumi-dag/pulumi-dag/sdk/go/dag";

/** Returns a resource's example in the format of the Pulumi registry, with one tab for each language. */
export function exampleSection(kind: string): string {
  const example = examples[kind];
  if (!example) throw new Error(`tools/generate/examples.mts has no example of ${kind}: add one there`);
  const tabs = Object.entries(languages).map(([name, write]) => `\`\`\`${name}\n${write(kind, example)}\n\`\`\`\n`);
  return `{{% examples %}}\n## Example Usage\n{{% example %}}\n### ${example.title}\n\n${tabs.join("")}\n{{% /example %}}\n{{% /examples %}}`;
}

function fields(inputs: Example["inputs"]): [string, Value][] {
  return Object.entries(inputs);
}

function json(value: Value): string {
  return JSON.stringify(value);
}

function python(value: Value): string {
  return typeof value === "boolean" ? (value ? "True" : "False") : json(value);
}

function go(key: string, value: Value): string {
  if (key === "triggers" && typeof value === "object") return `pulumi.Any([]string{${value.map(json).join(", ")}})`;
  if (typeof value === "object") return `pulumi.StringArray{${value.map((inner) => go("", inner)).join(", ")}}`;
  const kinds = { string: "String", number: "Int", boolean: "Bool" } as const;
  return `pulumi.${kinds[typeof value as keyof typeof kinds]}(${json(value)})`;
}

/** Aligns the fields as gofmt does. */
function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([key]) => key.length));
  return rows.map(([key, value]) => `\t\t\t${key.padEnd(width)} ${value}`);
}

/** Returns a property's name in Python. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
