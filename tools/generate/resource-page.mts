/** Generates docs/resources/<resource>.md from schema.json: one page for each resource, with every SDK language. */
import { kebabCase } from "./declarations.mts";
import { examples, languages } from "./examples.mts";

interface Property {
  readonly type?: string;
  readonly $ref?: string;
  readonly items?: Property;
  readonly description?: string;
  readonly default?: unknown;
  readonly willReplaceOnChanges?: boolean;
  readonly deprecationMessage?: string;
}

interface Resource {
  readonly description: string;
  readonly inputProperties: Readonly<Record<string, Property>>;
  readonly requiredInputs: readonly string[];
  readonly properties: Readonly<Record<string, Property>>;
}

interface ObjectType {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly enum?: readonly { readonly value: string; readonly description: string }[];
}

/** The parts of schema.json that the pages show. */
export interface DocumentedSchema {
  readonly resources: Readonly<Record<string, Resource>>;
  readonly types: Readonly<Record<string, ObjectType>>;
}

/** Returns the pages, by their path in the repository. */
export function resourcePagesByPath(schema: DocumentedSchema): Record<string, string> {
  return Object.fromEntries(
    Object.entries(schema.resources).map(([token, resource]) => {
      const name = token.split(":").at(-1)!;
      return [`docs/resources/${kebabCase(name)}.md`, page(name, resource, schema.types)];
    }),
  );
}

function page(name: string, resource: Resource, types: DocumentedSchema["types"]): string {
  const { description, inputProperties, requiredInputs, properties } = resource;
  const [summary = ""] = description.split("\n");
  const [, imported = ""] = description.split("## Import\n\n");
  const { title, ...example } = examples[name]!;
  const used = new Set<string>();
  const inputRows = Object.entries(inputProperties).map(([input, property]) => {
    const required = requiredInputs.includes(input) ? " (required)" : "";
    const change = property.willReplaceOnChanges ? "new resource" : "update";
    return `| \`${input}\`${required} | ${typeOf(property, used)} | ${change} | ${described(property)} |`;
  });
  const outputRows = Object.entries(properties)
    .filter(([output]) => !Object.hasOwn(inputProperties, output))
    .map(([output, property]) => `| \`${output}\` | ${typeOf(property, used)} | ${described(property)} |`);
  return [
    "<!-- Written by `npm run generate` from provider/lifecycles: change the declarations there. -->",
    `# dag.${name}\n`,
    `${summary}\n`,
    `## Example: ${title}\n`,
    ...Object.entries(languages).map(
      ([language, write]) => `\`\`\`${language}\n${write(name, { title, ...example })}\n\`\`\`\n`,
    ),
    "## Inputs\n",
    "| input | type | when it changes | |\n|---|---|---|---|",
    ...inputRows,
    "\n## Outputs\n",
    "All inputs are outputs, too. In addition:\n",
    "| output | type | |\n|---|---|---|",
    ...outputRows,
    ...typeSections(used, types),
    "\n## Import\n",
    `${imported}\n`,
  ].join("\n");
}

/** Returns the sections of the types that a page uses, directly or through other types. */
function typeSections(used: Set<string>, types: DocumentedSchema["types"]): string[] {
  const sections: string[] = [];
  // The set grows during the iteration, because a type may use other types.
  for (const name of used) {
    const { description = "", properties, enum: values } = types[`dag:index:${name}`]!;
    const rows = values
      ? values.map(({ value, description: meaning }) => `| \`${value}\` | ${meaning} |`)
      : Object.entries(properties ?? {}).map(
          ([field, property]) =>
            `| \`${field}\` | ${typeOf(property, used)}${property.description ? `: ${described(property)}` : ""} |`,
        );
    sections.push(`\n### ${name}\n\n${description}\n\n| | |\n|---|---|`, ...rows);
  }
  return sections;
}

function typeOf({ type, $ref, items }: Property, used: Set<string>): string {
  if (items) return `list of ${typeOf(items, used)}`;
  if ($ref === undefined) return type ?? "any";
  const name = $ref.split(":").at(-1)!;
  if (!$ref.startsWith("#/types/")) return "any";
  used.add(name);
  return `[${name}](#${name.toLowerCase()})`;
}

function described({ description = "", deprecationMessage }: Property): string {
  const deprecated = deprecationMessage === undefined ? "" : ` **Deprecated**: ${deprecationMessage}`;
  return `${description}${deprecated}`.replaceAll("|", "\\|");
}
