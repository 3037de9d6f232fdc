/** Generates docs/resources.md: every resource with its inputs and outputs, the functions and the configuration. */
import {
  declaredConfiguration,
  declaredFunctions,
  declaredResources,
  type DeclaredProperty,
  type DeclaredResource,
  type JsonType,
} from "./declarations.mts";

/** Returns the page's text. */
export function resourceOverviewPage(): string {
  const resources = declaredResources();
  return [
    "<!-- Written by `npm run generate` from provider/lifecycles: change the declarations there. -->",
    "",
    "# Resources",
    "",
    "The inputs and outputs of all four resources, the functions and the configuration, on one page. Each resource also has a page with examples in every language: [SplitTable](resources/split-table.md), [SelectQuery](resources/select-query.md), [ClusterRestart](resources/cluster-restart.md), [ClusterLogExport](resources/cluster-log-export.md). What happens to a resource from preview to delete: [a resource's life](understand/resource.md).",
    "",
    resources.map(({ name }) => `[${name}](#${name.toLowerCase()})`).join(" · ") +
      " · [Functions](#functions) · [Configuration](#configuration)",
    "",
    ...resources.flatMap(page),
    "## Functions",
    "",
    "The functions read from the service while the program runs, also during a preview. Each takes plain values or",
    "outputs and returns an output. Outside of a Pulumi program, the methods of `dag.Client` read the same and return",
    "promises; its `queries()` and `clusters()`, in place of `getQueries` and `getClusters`, are async iterables.",
    "",
    "| function | |",
    "|---|---|",
    ...declaredFunctions().map(
      ({ name, description, args }) => `| \`dag.${name}({ ${args.join(", ")} })\` | ${cell(description)} |`,
    ),
    "",
    "## Configuration",
    "",
    "Set each key with `pulumi config set` or with an environment variable; the stack's configuration takes precedence.",
    "If you keep the engine's own log (`-v9`), use `DAG_SECRET_ACCESS_KEY`: the engine logs the configuration that it",
    "passes to dynamic providers and to the plugin, including secrets.",
    "",
    "| key | environment | |",
    "|---|---|---|",
    ...Object.entries(declaredConfiguration()).map(
      ([name, { environment, description, required, secret }]) =>
        `| \`dag:${name}\`${required ? " (required)" : ""} | \`${environment}\` | ${cell(description)}${secret ? " Set it with `--secret`." : ""} |`,
    ),
    "",
  ].join("\n");
}

function page({ name, description, example, inputs, outputs }: DeclaredResource): string[] {
  const inputRows = inputs.map(
    (input) =>
      `| \`${input.name}\`${input.required ? " (required)" : ""} | ${typeName(input.type)} | ${change(input)} | ${cell(input.description)} |`,
  );
  const outputRows = outputs.map(
    (output) => `| \`${output.name}\` | ${typeName(output.type)} | ${cell(output.description)} |`,
  );
  return [
    `## ${name}\n`,
    `${description}\n`,
    `\`\`\`ts\n${example}\n\`\`\`\n`,
    "### Inputs\n",
    "| input | type | when it changes | |\n|---|---|---|---|",
    ...inputRows,
    "\n### Outputs\n",
    "All inputs are outputs, too. In addition:\n",
    "| output | type | |\n|---|---|---|",
    ...outputRows,
    "",
  ];
}

function change({ replaces }: DeclaredProperty): string {
  return replaces ? "new resource" : "update";
}

function typeName(type: JsonType): string {
  if (type.enum) return type.enum.map((value) => `\`${value}\``).join(", ");
  if (Array.isArray(type.type)) return type.type.join(" or ");
  if (type.type === "array") return `list of ${typeName(type.items!)}`;
  if (type.type === "object") {
    const fields = Object.entries(type.properties ?? {}).map(([name, inner]) => `${name}: ${typeName(inner)}`);
    return `{${fields.join(", ")}}`;
  }
  return typeof type.type === "string" ? type.type : "any";
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
