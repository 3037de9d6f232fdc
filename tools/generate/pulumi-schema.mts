/** Generates schema.json: the package in Pulumi's schema language. */
import { enumerationOf } from "./enums.mts";
import { exampleSection } from "./examples.mts";
import { languageBlocks } from "./language-blocks.mts";
import {
  declaredConfiguration,
  declaredResources,
  jsonType,
  packageJson,
  recordComments,
  recordSchemas,
  type DeclaredProperty,
  type JsonType,
} from "./declarations.mts";

type Json = Record<string, unknown>;

/** Returns the schema of the package. */
export function pulumiSchema(): Json {
  const { version, description, license, homepage, repository } = packageJson();
  const types = new Map<string, Json>();
  const resources = Object.fromEntries(
    declaredResources().map((resource) => [
      `dag:index:${resource.name}`,
      {
        description: `${resource.description}\n\n${exampleSection(resource.name)}\n\n## Import\n\n${importSection(resource.name)}`,
        // Lets the plugin take over resources of the dynamic provider without replacing them.
        aliases: [{ type: `pulumi-nodejs:dynamic/dag:${resource.name}` }],
        inputProperties: Object.fromEntries(resource.inputs.map((input) => [input.name, inputProperty(input, types)])),
        requiredInputs: resource.inputs.filter(({ required }) => required).map(({ name }) => name),
        ...outputs(resource.inputs, resource.outputs, types),
      },
    ]),
  );
  const functions = Object.fromEntries(functionSchemas(types));
  return {
    name: "dag",
    displayName: "DAG",
    version,
    description,
    keywords: ["pulumi", "dag", "hiveql", "data-engineering", "category/database", "kind/native"],
    homepage,
    license,
    attribution: `This provider is a client of the Query and Cluster Management Service; it is developed at ${homepage}.`,
    repository: repository.url.replace(/^git\+|\.git$/g, ""),
    logoUrl: `${repository.url.replace(/^git\+|\.git$/g, "")}/raw/main/docs/logo.svg`,
    pluginDownloadURL: "github://api.github.com/pulumi-dag/pulumi-dag",
    publisher: "pulumi-dag",
    meta: { moduleFormat: "(.*)(?:/[^/]*)", supportPack: true },
    language: languageBlocks(),
    config: configuration(),
    provider: {
      description:
        "The provider of the Query and Cluster Management Service. An explicit provider replaces the stack's " +
        "configuration, for instance to use another service or another access key.",
      ...configurationInputs(),
    },
    types: Object.fromEntries([...types].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    resources,
    functions,
  };
}

function outputs(
  inputs: readonly DeclaredProperty[],
  own: readonly DeclaredProperty[],
  types: Map<string, Json>,
): Json {
  const names = new Set(own.map(({ name }) => name));
  const all = [...inputs.filter(({ name }) => !names.has(name)), ...own];
  const always = (property: DeclaredProperty) =>
    (property.required && !property.implied) || property.name === "outputTable";
  return {
    properties: Object.fromEntries(
      all.map((property) => [property.name, { description: property.description, ...typeSpec(property.type, types) }]),
    ),
    required: all.filter(always).map(({ name }) => name),
  };
}

/** Returns the schema of an input. */
export function inputProperty(
  { description, type, replaces, fallback }: DeclaredProperty,
  types: Map<string, Json>,
): Json {
  return {
    description,
    ...typeSpec(type, types),
    ...(fallback !== undefined && { default: fallback }),
    // On inputs, both are documentation and change nothing in the SDKs: the provider's diff decides.
    ...(replaces && { replaceOnChanges: true, willReplaceOnChanges: true }),
    ...deprecation(type),
  };
}

/** Returns the deprecation message of a property, from `deprecated` in the meta of its schema. */
function deprecation({ deprecated }: JsonType): Json {
  return deprecated === undefined ? {} : { deprecationMessage: String(deprecated) };
}

function importSection(name: string): string {
  const read = "the provider reads the inputs from the service";
  const imports: Readonly<Record<string, readonly [id: string, text: string]>> = {
    ClusterRestart: ["demo", `the cluster's name; ${read}`],
    ClusterLogExport: [
      "demo/dag://logs/demo/",
      "the cluster's name and the folder; `result` lists what is in the folder. It does not know `triggers`: a program that has some exports again after the import",
    ],
  };
  const [id, text] = imports[name] ?? ["1234", `the query's identifier; ${read}`];
  return `The import ID is ${text}.\n\n\`\`\`sh\n$ pulumi import dag:index:${name} example ${id}\n\`\`\``;
}

/** Converts a type to Pulumi's schema language. Objects and enumerations become named types. */
function typeSpec(type: JsonType, types: Map<string, Json>): Json {
  const inner = type.anyOf ?? type.oneOf;
  if (inner) return typeSpec(inner.find(({ type: one }) => one !== "null") ?? {}, types);
  if (Array.isArray(type.type))
    return typeSpec({ ...type, type: type.type.find((one: string) => one !== "null") }, types);
  if (type.enum) {
    const { name, schema } = enumerationOf(type.enum);
    types.set(`dag:index:${name}`, schema as Json);
    return { $ref: `#/types/dag:index:${name}` };
  }
  if (type.type === "array") return { type: "array", items: typeSpec(type.items ?? {}, types) };
  if (type.type === "object" && type.title) {
    const token = `dag:index:${type.title}`;
    types.set(token, objectType(type, types));
    return { $ref: `#/types/${token}` };
  }
  if (typeof type.type === "string" && type.type !== "object") return { type: type.type };
  return { $ref: "pulumi.json#/Any" };
}

function objectType({ description, properties = {}, required = [] }: JsonType, types: Map<string, Json>): Json {
  return {
    ...(description !== undefined && { description }),
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [
        name,
        { ...describedAs(name, inner), ...typeSpec(inner, types) },
      ]),
    ),
    ...(required.length > 0 && { required: required.toSorted() }),
  };
}

/** Returns a field's description: its own, or the doc comment of its declaration in contract/records.ts. */
function describedAs(name: string, { description }: JsonType): Json {
  const found = description ?? recordComments()[name];
  return found === undefined ? {} : { description: found };
}

function configuration(): Json {
  const keys = Object.entries(declaredConfiguration());
  return {
    variables: Object.fromEntries(
      keys.map(([name, { description, type, secret, environment }]) => [
        name,
        { description, type, ...(secret && { secret }), defaultInfo: { environment: [environment] } },
      ]),
    ),
  };
}

function configurationInputs(): Json {
  const { variables } = configuration() as { readonly variables: Json };
  return { inputProperties: variables, properties: variables };
}

/** Returns the schema of each function's inputs and result. */
function functionSchemas(types: Map<string, Json>): [string, Json][] {
  const api = recordSchemas();
  const named = (title: string, schema: string, description: string): JsonType => ({
    ...merged(jsonType(api[schema]!)),
    title,
    description,
  });
  const cluster = named("Cluster", "clusterRecord", "A cluster.");
  const statistics = named("ClusterStatistics", "clusterStatistics", "Disk usage of a cluster, in bytes.");
  const query = named("Query", "queryRecord", "A query. Fields that its type does not have are absent.");
  const summary = named("QuerySummary", "querySummary", "A query as it appears in lists.");
  const text: JsonType = { type: "string" };
  const clusterName = { clusterName: { ...text, description: "Name of the cluster." } };
  const queryId = { queryId: { type: "integer", description: "Identifier of the query." } };
  return [
    fn("getCluster", "Gets a cluster.", clusterName, ["clusterName"], cluster),
    fn(
      "getClusters",
      "Lists every cluster that matches the inputs, from all pages.",
      filters("listClusters"),
      [],
      listOf("clusters", cluster),
    ),
    fn("getClusterStatistics", "Gets the disk usage of a cluster, in bytes.", clusterName, ["clusterName"], statistics),
    fn("getQuery", "Gets a query.", queryId, ["queryId"], query),
    fn(
      "getQueries",
      "Lists every query that matches the inputs, from all pages.",
      filters("listQueries"),
      [],
      listOf("queries", summary),
    ),
    fn("getQueryLog", "Gets the log of a select query.", queryId, ["queryId"], {
      type: "object",
      properties: { log: { ...text, description: "The log." } },
      required: ["log"],
    }),
  ];

  function fn(
    name: string,
    description: string,
    inputs: Readonly<Record<string, JsonType>>,
    required: string[],
    response: JsonType,
  ): [string, Json] {
    const { description: _own, ...result } = objectType(
      { ...response, description: response.description ?? "" },
      types,
    );
    return [
      `dag:index:${name}`,
      { description, inputs: objectType({ properties: inputs, required }, types), outputs: result },
    ];
  }

  function filters(operation: string): Readonly<Record<string, JsonType>> {
    const { operations, metaOf } = api as unknown as {
      readonly operations: Readonly<
        Record<string, { readonly parameters: { readonly shape: Readonly<Record<string, never>> } }>
      >;
      readonly metaOf: (schema: never) => { readonly description: string } | undefined;
    };
    const shape = Object.entries(operations[operation]!.parameters.shape).filter(
      ([name]) => name !== "max" && name !== "marker",
    );
    return Object.fromEntries(
      shape.map(([name, schema]) => [name, { ...jsonType(schema), description: metaOf(schema)?.description ?? "" }]),
    );
  }
}

function listOf(name: string, record: JsonType): JsonType {
  const all: JsonType = { type: "array", items: record, description: `The ${name}, from all pages.` };
  return { type: "object", properties: { [name]: all }, required: [name] };
}

/** Merges the alternatives of a union into one object, in which the fields that some of them lack are optional. */
function merged(type: JsonType): JsonType {
  const alternatives = type.oneOf ?? type.anyOf;
  if (!alternatives) return { ...type, properties: withNames(type.properties ?? {}) };
  const properties = Object.assign({}, ...alternatives.map((one) => one.properties ?? {})) as Readonly<
    Record<string, JsonType>
  >;
  const queryTypes = { type: "string", enum: ["select", "split"], description: "Type of the query." } as const;
  const required = (alternatives[0]?.required ?? []).filter((name) =>
    alternatives.every((one) => one.required?.includes(name)),
  );
  return { type: "object", properties: withNames({ ...properties, type: queryTypes }), required };
}

/** Gives every nested object a title, because Pulumi's object types are named. */
function withNames(properties: Readonly<Record<string, JsonType>>): Readonly<Record<string, JsonType>> {
  return Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, withName(name, type)]));
}

function withName(name: string, type: JsonType): JsonType {
  if (type.type === "array" && type.items)
    return {
      ...type,
      items: withName(
        name === "instances" && type.items.properties?.["disk"] ? "InstanceStatistics" : name,
        type.items,
      ),
    };
  if (type.type !== "object" || type.title) return type;
  const title = innerNames[name === "disk" && type.properties?.["dfsUsed"] ? "instanceDisk" : name] ?? name;
  return { ...type, title, properties: withNames(type.properties ?? {}) };
}

const innerNames: Readonly<Record<string, string>> = {
  instances: "InstanceGroup",
  InstanceStatistics: "InstanceStatistics",
  disk: "ClusterDisk",
  instanceDisk: "InstanceDisk",
};
