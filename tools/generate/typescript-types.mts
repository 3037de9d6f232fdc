/** Generates provider/dynamic/types.ts: the types of the classes' inputs and outputs. */
import { declaredResources, type DeclaredProperty, type DeclaredResource, type JsonType } from "./declarations.mts";

/** Returns the file's text. */
export function typeScriptTypes(): string {
  const resources = declaredResources();
  const objects = new Map<string, JsonType>();
  for (const { inputs, outputs } of resources)
    for (const { type } of [...inputs, ...outputs]) collectObjects(type, objects);
  return `${[
    '/** Written by "npm run generate" from provider/lifecycles: change the declarations there. */',
    'import type { Input, Output } from "@pulumi/pulumi";',
    "",
    ...[...objects].map(([name, type]) => objectInterface(name, type)),
    ...resources.flatMap((resource) => [argsInterface(resource), outputsInterface(resource)]),
    "/** The names of all properties of each resource. */",
    "export const propertyNames = {",
    ...resources.map(
      ({ name, inputs, outputs }) =>
        `  ${name}: ${JSON.stringify(unique([...inputs, ...outputs]), null, 2).replaceAll("\n", "\n  ")},`,
    ),
    "} as const;",
  ].join("\n")}\n`;
}

function objectInterface(name: string, { description = "", properties = {}, required = [] }: JsonType): string {
  const fields = Object.entries(properties).flatMap(([field, type]) => [
    comment(type.description ?? "", "  "),
    `  readonly ${field}${required.includes(field) ? "" : "?"}: ${maybe(plain(type), required.includes(field))};`,
  ]);
  return [comment(description, ""), `export interface ${name} {`, ...fields, "}", ""].join("\n");
}

function argsInterface({ name, inputs }: DeclaredResource): string {
  const fields = inputs.flatMap((input) => [
    comment(input.description, "  "),
    `  readonly ${input.name}${input.required ? "" : "?"}: ${maybe(asInput(input.type), input.required)};`,
  ]);
  return [`/** Inputs of a ${name}. */`, `export interface ${name}Args {`, ...fields, "}", ""].join("\n");
}

function outputsInterface({ name, inputs, outputs }: DeclaredResource): string {
  const own = new Set(outputs.map((output) => output.name));
  const all = [
    ...inputs
      .filter((input) => !own.has(input.name))
      .map((input) =>
        Object.assign(input, {
          required: input.required || input.name === "outputTable",
        }),
      ),
    ...outputs,
  ];
  const fields = all.flatMap((output) => [
    comment(output.description, "  "),
    `  readonly ${output.name}: Output<${maybe(plain(output.type), output.required)}>;`,
  ]);
  return [`/** Properties of a ${name}. */`, `export interface ${name}Outputs {`, ...fields, "}", ""].join("\n");
}

function unique(properties: readonly DeclaredProperty[]): string[] {
  return [...new Set(properties.map(({ name }) => name))];
}

function comment(text: string, indent: string): string {
  const words = text.split(" ");
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= 110) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  if (lines.length === 1) return `${indent}/** ${lines[0]} */`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`].join("\n");
}

/** Returns the TypeScript type of a value without Input or Output around it. */
function plain(type: JsonType): string {
  if (type.enum) return type.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (type.anyOf) return type.anyOf.map(plain).join(" | ");
  if (Array.isArray(type.type)) return type.type.map((one: string) => plain({ type: one })).join(" | ");
  if (type.type === "array") return `readonly ${bracketed(plain(type.items!))}[]`;
  if (type.type === "object" && type.title) return type.title;
  return scalars[String(type.type)] ?? "unknown";
}

const scalars: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

function asInput(type: JsonType): string {
  if (type.type === "array") return `Input<readonly ${bracketed(asInput(type.items!))}[]>`;
  const value = plain(type);
  return value === "unknown" ? "unknown" : `Input<${value}>`;
}

function maybe(type: string, always: boolean): string {
  return always || type === "unknown" ? type : `${type} | undefined`;
}

function bracketed(type: string): string {
  return /[ |]/.test(type) ? `(${type})` : type;
}

function collectObjects(type: JsonType, found: Map<string, JsonType>): void {
  for (const inner of [
    ...Object.values(type.properties ?? {}),
    ...(type.items ? [type.items] : []),
    ...(type.anyOf ?? []),
  ]) {
    collectObjects(inner, found);
  }
  if (type.type === "object" && type.title) found.set(type.title, type);
}
