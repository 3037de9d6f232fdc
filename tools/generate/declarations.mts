/** The resources' declarations as the writers of files need them. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as zod from "zod";
import type { Properties } from "../../provider/lifecycles/schema/properties.ts";

/** A value's type, as JSON schema says it. */
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
  /** What to use instead, where it is. */
  readonly deprecated?: string | boolean;
}

/** A property of a resource. */
export interface Declared {
  readonly name: string;
  readonly type: JsonType;
  readonly description: string;
  /** Whether an input must be given, or an output is always there. */
  readonly required: boolean;
  /** Whether another value of the input makes a new resource. */
  readonly replaces: boolean;
  readonly fallback: unknown;
}

export interface DeclaredResource {
  readonly name: string;
  readonly description: string;
  /** TypeScript, from the class's doc comment. */
  readonly example: string;
  readonly inputs: readonly Declared[];
  /** Those that are no inputs, or say more than the input of the same name. */
  readonly outputs: readonly Declared[];
}

const require = createRequire(import.meta.url);
// The same copy as the built package's: names of schemas are kept in a registry of it.
const z: typeof zod = require("zod");
const { lifecycles } = require("../../dist/provider/lifecycles/index.js") as typeof import("../../provider/lifecycles/index.ts");
const { functions } = require("../../dist/provider/lifecycles/functions.js") as typeof import("../../provider/lifecycles/functions.ts");
const { configurationKeys } = require("../../dist/provider/lifecycles/configuration.js") as typeof import("../../provider/lifecycles/configuration.ts");
const contract = require("../../dist/contract/index.js") as typeof import("../../contract/index.ts");

interface Lifecycles {
  readonly [name: string]: { readonly description: string; readonly properties: Properties };
}

type Functions = Readonly<Record<string, { readonly description: string; readonly args: zod.ZodObject }>>;

/** Every resource, in the order of the provider's own table. */
export function declaredResources(): DeclaredResource[] {
  return Object.entries(lifecycles as unknown as Lifecycles).map(([name, { description, properties }]) => ({
    name,
    description,
    example: exampleOf(name),
    inputs: Object.entries(properties.inputs).map(([property, declaration]) => ({
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

/** A function of the provider. */
export interface DeclaredFunction {
  readonly name: string;
  readonly description: string;
  readonly args: readonly string[];
}

/** Every function, in the order of the provider's own table. */
export function declaredFunctionTable(): DeclaredFunction[] {
  return Object.entries(functions as Functions).map(([name, { description, args }]) => ({
    name,
    description,
    args: Object.entries(args.shape).map(([arg, schema]) => (schema instanceof z.ZodOptional ? `${arg}?` : arg)),
  }));
}

/** Every key of the configuration. */
export function declaredConfiguration(): Readonly<Record<string, DeclaredKey>> {
  return configurationKeys;
}

/** The package's description of itself. */
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

/** Comments at the declarations of what the service answers, by the field's name. */
export function recordComments(): Readonly<Record<string, string>> {
  const source = readFileSync(new URL("../../contract/records.ts", import.meta.url), "utf8");
  const found = source.matchAll(/\/\*\* (.+?) \*\/\n\s+(\w+):/g);
  return Object.fromEntries([...found].toReversed().map(([, comment, name]) => [name!, comment!]));
}

/** Schemas of what the service answers. */
export function records(): Readonly<Record<string, zod.ZodType>> {
  return contract as unknown as Readonly<Record<string, zod.ZodType>>;
}

export function jsonType(schema: zod.ZodType): JsonType {
  const { $schema: _schema, ...type } = z.toJSONSchema(schema, { unrepresentable: "any", reused: "inline" }) as {
    readonly $schema?: string;
  } & JsonType;
  return inlined(type, (type as { readonly $defs?: Readonly<Record<string, JsonType>> }).$defs ?? {});
}

/** Schemas that are used more than once may come as references. */
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

/** The example in a class's doc comment. */
function exampleOf(name: string): string {
  const kebab = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
  const file = `provider/dynamic/${kebab}.ts`;
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const match = /@example\n \* ```ts\n([^]*?) \* ```/.exec(source);
  if (!match) throw new Error(`${file} has no @example`);
  return match[1]!.replace(/^ \* ?/gm, "").trimEnd();
}
