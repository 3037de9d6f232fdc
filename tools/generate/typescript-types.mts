/** Generates provider/dynamic/types/: the types of the classes' inputs and outputs, a file for each resource. */
import {
  declaredResources,
  kebabCase,
  type DeclaredProperty,
  type DeclaredResource,
  type JsonType,
} from "./declarations.mts";

const header = '/** Written by "npm run generate" from provider/lifecycles: change the declarations there. */';
const imports = 'import type { Input, Output } from "@pulumi/pulumi";';

/** Returns the text of each file, by its name. */
export function typeScriptTypes(): Readonly<Record<string, string>> {
  const resources = declaredResources();
  const objects = new Map<string, JsonType>();
  for (const { inputs, outputs } of resources)
    for (const { type } of [...inputs, ...outputs]) collectObjects(type, objects);
  const modules = resources.map((resource) => [kebabCase(resource.name), resource] as const);
  return {
    "objects.ts": file([header, "", ...[...objects].map(([name, type]) => objectInterface(name, type))]),
    ...Object.fromEntries(
      modules.map(([name, resource]) => [`${name}.ts`, resourceFile(resource, [...objects.keys()])]),
    ),
    "property-names.ts": file([header, "", ...propertyNames(resources)]),
    "index.ts": file([
      header,
      ...["objects", ...modules.map(([name]) => name)].map((name) => `export type * from "./${name}";`),
      'export { propertyNames, updatedInputs } from "./property-names";',
    ]),
  };
}

function resourceFile(resource: DeclaredResource, objects: readonly string[]): string {
  const interfaces = [argsInterface(resource), outputsInterface(resource)];
  const used = objects.filter((name) => interfaces.some((text) => new RegExp(`[<( ]${name}\\b`).test(text)));
  const ofObjects = used.length > 0 ? [`import type { ${used.join(", ")} } from "./objects";`] : [];
  return file([header, imports, ...ofObjects, "", ...interfaces]);
}

function propertyNames(resources: readonly DeclaredResource[]): string[] {
  return [
    "/** The names of all properties of each resource. */",
    "export const propertyNames = {",
    ...resources.map(
      ({ name, inputs, outputs }) =>
        `  ${name}: ${JSON.stringify(unique([...inputs, ...outputs]), null, 2).replaceAll("\n", "\n  ")},`,
    ),
    "} as const;",
    "",
    "/** The inputs of each resource whose change updates it, instead of replacing it. */",
    "export const updatedInputs: Readonly<Record<keyof typeof propertyNames, readonly string[]>> = {",
    ...resources.map(
      ({ name, inputs }) =>
        `  ${name}: ${JSON.stringify(inputs.filter(({ replaces }) => !replaces).map((input) => input.name))},`,
    ),
    "};",
  ];
}

function file(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
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
