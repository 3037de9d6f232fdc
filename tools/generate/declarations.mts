/** Reads the declarations of the provider's resources, functions and configuration, for the generators. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as zod from "zod";
import type { Properties } from "../../provider/lifecycles/schema/properties.ts";

/** The type of a value, in JSON Schema. */
export interface JsonType {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly items?: JsonType;
  readonly properties?: Readonly<Record<string, JsonType>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonType[];
  readonly oneOf?: readonly JsonType[];
  readonly title?: string;
  /** The replacement of a deprecated property, as a sentence. */
  readonly deprecated?: string | boolean;
}

/** An input or output of a resource. */
export interface DeclaredProperty {
  readonly name: string;
  readonly type: JsonType;
  readonly description: string;
  /** True when an input is required, or when an output always has a value. */
  readonly required: boolean;
  /** True for an output that the state of a resource may leave out. */
  readonly implied?: boolean;
  /** True when a change of the input replaces the resource. */
  readonly replaces: boolean;
  /** The default of an input; undefined without one. */
  readonly fallback: unknown;
}

export interface DeclaredResource {
  readonly name: string;
  readonly description: string;
  /** The TypeScript example in the class's doc comment. */
  readonly example: string;
  readonly inputs: readonly DeclaredProperty[];
  /** The outputs that are not inputs, or that differ from the input of the same name. */
  readonly outputs: readonly DeclaredProperty[];
}

const require = createRequire(import.meta.url);
// Must be the same copy of zod as the built package's, because zod keeps the names of schemas in a registry.
const z: typeof zod = require("zod");
const { lifecycles } =
  require("../../dist/provider/lifecycles/index.js") as typeof import("../../provider/lifecycles/index.ts");
const { functions } =
  require("../../dist/provider/lifecycles/functions.js") as typeof import("../../provider/lifecycles/functions.ts");
const { configurationKeys } =
  require("../../dist/provider/lifecycles/configuration.js") as typeof import("../../provider/lifecycles/configuration.ts");
const contract = require("../../dist/contract/index.js") as typeof import("../../contract/index.ts");

interface Lifecycles {
  readonly [name: string]: { readonly description: string; readonly properties: Properties };
}

type Functions = Readonly<Record<string, { readonly description: string; readonly args: zod.ZodObject }>>;

/** Returns every resource, in the order of the provider's own table. */
export function declaredResources(): DeclaredResource[] {
  return Object.entries(lifecycles as unknown as Lifecycles).map(([name, { description, properties }]) => ({
    name,
    description,
    example: exampleOf(name),
    inputs: Object.entries(properties.inputs)
      .filter(([, { hidden }]) => !hidden)
      .map(([property, declaration]) => ({
        name: property,
        type: jsonType(declaration.schema),
        description: declaration.description,
        required: declaration.required,
        replaces: declaration.change === "replace",
        fallback: declaration.fallback,
      })),
    outputs: Object.entries(properties.outputs).map(([property, declaration]) => ({
      name: property,
      type: jsonType(declaration.schema),
      description: declaration.description,
      required: declaration.always,
      implied: declaration.implied !== undefined,
      replaces: false,
      fallback: undefined,
    })),
  }));
}

export interface DeclaredKey {
  readonly environment: string;
  readonly description: string;
  readonly type: "string" | "integer" | "boolean";
  readonly required?: true;
  readonly secret?: true;
  readonly example: string;
}

/** A function of the provider, such as `getCluster`. */
export interface DeclaredFunction {
  readonly name: string;
  readonly description: string;
  readonly args: readonly string[];
}

/** Returns every function, in the order of the provider's own table. */
export function declaredFunctions(): DeclaredFunction[] {
  return Object.entries(functions as Functions).map(([name, { description, args }]) => ({
    name,
    description,
    args: Object.entries(args.shape).map(([arg, schema]) => (schema instanceof z.ZodOptional ? `${arg}?` : arg)),
  }));
}

/** Returns every configuration key. */
export function declaredConfiguration(): Readonly<Record<string, DeclaredKey>> {
  return configurationKeys;
}

/** Reads package.json. */
export function packageJson(): {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly homepage: string;
  readonly repository: { readonly url: string };
} {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
}

/** Returns the doc comments of the response fields in contract/records.ts, by the field's name. */
export function recordComments(): Readonly<Record<string, string>> {
  const source = readFileSync(new URL("../../contract/records.ts", import.meta.url), "utf8");
  const found = source.matchAll(/\/\*\* (.+?) \*\/\n\s+(\w+):/g);
  return Object.fromEntries([...found].toReversed().map(([, comment, name]) => [name!, comment!]));
}

/** Returns the schemas of the service's responses, by the name of their export. */
export function recordSchemas(): Readonly<Record<string, zod.ZodType>> {
  return contract as unknown as Readonly<Record<string, zod.ZodType>>;
}

export function jsonType(schema: zod.ZodType): JsonType {
  const { $schema: _schema, ...type } = z.toJSONSchema(schema, { unrepresentable: "any", reused: "inline" }) as {
    readonly $schema?: string;
  } & JsonType;
  return inlined(type, (type as { readonly $defs?: Readonly<Record<string, JsonType>> }).$defs ?? {});
}

/** Replaces references by the schemas that they name; zod writes references for schemas that occur more than once. */
function inlined(
  type: JsonType & { readonly $ref?: string },
  definitions: Readonly<Record<string, JsonType>>,
): JsonType {
  if (type.$ref !== undefined) return inlined(definitions[type.$ref.split("/").at(-1)!]!, definitions);
  const each = (types: readonly JsonType[]) => types.map((inner) => inlined(inner, definitions));
  return {
    ...type,
    ...(type.items && { items: inlined(type.items, definitions) }),
    ...(type.anyOf && { anyOf: each(type.anyOf) }),
    ...(type.oneOf && { oneOf: each(type.oneOf) }),
    ...(type.properties && {
      properties: Object.fromEntries(
        Object.entries(type.properties).map(([key, inner]) => [key, inlined(inner, definitions)]),
      ),
    }),
  };
}

/** Returns the example in a class's doc comment. */
function exampleOf(name: string): string {
  const file = `provider/dynamic/${kebabCase(name)}.ts`;
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const match = /@example\n \* ```ts\n([^]*?) \* ```/.exec(source);
  if (!match) throw new Error(`${file} has no @example in its doc comment: add one with a ts code block`);
  return match[1]!.replace(/^ \* ?/gm, "").trimEnd();
}

/** Returns a name in lower case with hyphens, such as `split-table`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
}
