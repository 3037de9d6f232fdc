/** docs/resources.md: every resource, its inputs and outputs, and the configuration. */
import {
  declaredConfiguration,
  declaredFunctionTable,
  declaredResources,
  type Declared,
  type DeclaredResource,
  type JsonType,
} from "./declarations.mts";

/** The file's text. */
export function resourcePages(): string {
  const resources = declaredResources();
  return [
    "<!-- Written by scripts/generate.mts from the declarations in provider/lifecycles: change those, then `npm run generate`. -->",
    "",
    "# Resources",
    "",
    resources.map(({ name }) => `[${name}](#${name.toLowerCase()})`).join(" · ") +
      " · [Functions](#functions) · [Configuration](#configuration)",
    "",
    ...resources.flatMap(page),
    "## Functions",
    "",
    "They look at the service while the program runs, also at preview. Each takes plain values or outputs and answers an",
    "output; outside of a program, `dag.Client` has the same as promises.",
    "",
    "| function | |",
    "|---|---|",
    ...declaredFunctionTable().map(
      ({ name, description, args }) => `| \`dag.${name}({ ${args.join(", ")} })\` | ${cell(description)} |`,
    ),
    "",
    "## Configuration",
    "",
    "Each key is set with `pulumi config set`, or as a variable of the environment; the stack's value goes first. Where the",
    "engine's own log is kept (`-v9`), prefer `DAG_SECRET_ACCESS_KEY`: the engine logs the configuration that it passes to",
    "dynamic providers, secrets included.",
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
    "Besides the inputs:\n",
    "| output | type | |\n|---|---|---|",
    ...outputRows,
    "",
  ];
}

function change({ replaces }: Declared): string {
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
