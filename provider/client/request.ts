/** Encodes requests. Paths, parameters and bodies are defined by the table of operations. */
import * as z from "zod";
import {
  errors,
  fields,
  limits,
  operations,
  validate,
  type Operation,
  type OperationName,
  type RequestBody,
  type RequestParameters,
  type ApiErrorDetails,
} from "../../contract";

type PathParameters<Path extends string> = Path extends `${string}{queryId}${string}`
  ? {
      /** Identifier of the query, as returned by its submission. */
      readonly queryId: number;
    }
  : Path extends `${string}{clusterName}${string}`
    ? {
        /** Name of the cluster. */
        readonly clusterName: string;
      }
    : unknown;

type OptionalPart<Part> = Part extends undefined ? unknown : Readonly<Part>;

/**
 * Arguments of an operation, as the schemas have them; tools/generate reads it.
 * @public
 */
export type RequestOf<Name extends OperationName> = PathParameters<(typeof operations)[Name]["path"]> &
  OptionalPart<RequestBody<Name>> &
  OptionalPart<RequestParameters<Name>>;

/** A request that is ready to be signed and sent. */
export interface EncodedRequest {
  /** Name of the operation. */
  readonly operation: string;
  readonly method: Operation["method"];
  /** Path and query string. */
  readonly target: string;
  /** Path and operation key, as errors contain them. */
  readonly resource: string;
  /** JSON text; absent if the operation has no body. */
  readonly body?: string;
  /** Schema of the response's body; absent if it has none. */
  readonly response?: z.ZodType;
  /** What the record in the response must be of. */
  readonly subject?: { readonly field: "id" | "name"; readonly value: unknown };
}

/**
 * Validates and encodes a request.
 * @throws the ApiError that the service would return for the first invalid field.
 */
export function encodeRequest(name: OperationName, request: object): EncodedRequest {
  const operation: Operation = operations[name];
  const schema = requestSchema(operation);
  const details = { operation: name, resource: `${operation.path}?${operation.key}` };
  const values = validate(schema, request, details) as Record<string, unknown>;
  const named = subjects[name];
  const subject = named && { field: named.field, value: values[named.parameter] };
  const path = operation.path.replace(pathParameter, (_, parameter: string) => {
    const value = String(values[parameter]);
    delete values[parameter];
    return encodeURIComponent(value);
  });
  const resource = `${path}?${operation.key}`;
  const target = operation.parameters ? [resource, ...Object.entries(values).map(encodeParameter)].join("&") : resource;
  return {
    operation: name,
    method: operation.method,
    target,
    resource,
    ...(operation.body && { body: encodeBody(values, details) }),
    ...(operation.response && { response: operation.response }),
    ...(subject && { subject }),
  };
}

/** The operations that answer the record of what their path names, and its field. */
const subjects: Partial<Record<OperationName, { readonly parameter: string; readonly field: "id" | "name" }>> = {
  getQuery: { parameter: "queryId", field: "id" },
  getCluster: { parameter: "clusterName", field: "name" },
  getClusterStatistics: { parameter: "clusterName", field: "name" },
};

const pathParameter = /\{(\w+)\}/g;
const pathFields: Readonly<Record<string, z.ZodType>> = {
  queryId: fields.queryId,
  clusterName: fields.clusterName,
};
const schemas = new WeakMap<Operation, z.ZodObject>();

function requestSchema(operation: Operation): z.ZodObject {
  const cached = schemas.get(operation);
  if (cached) return cached;
  const inPath = [...operation.path.matchAll(pathParameter)].map(([, name = ""]) => [name, pathFields[name]] as const);
  const schema = z.strictObject({
    ...Object.fromEntries(inPath),
    ...operation.body?.shape,
    ...operation.parameters?.shape,
  });
  schemas.set(operation, schema);
  return schema;
}

/** @throws EntityTooLarge, as the service does, and names the largest field. */
function encodeBody(values: Readonly<Record<string, unknown>>, details: ApiErrorDetails): string {
  const problem = bodySizeProblem(values);
  if (problem === undefined) return JSON.stringify(values);
  const { field, reason, remedy } = problem;
  throw new errors.EntityTooLarge(`${reason}; ${remedy}`, { ...details, field });
}

/** Why the service refuses a body for its size. */
interface BodySizeProblem {
  /** Name of the largest field. */
  readonly field: string;
  readonly reason: string;
  readonly remedy: string;
}

/** Returns the problem of a body that is larger than the service accepts; undefined for one that it accepts. */
export function bodySizeProblem(values: Readonly<Record<string, unknown>>): BodySizeProblem | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(values));
  if (bytes <= limits.requestBodyBytes) return undefined;
  const sizes = Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)?.length ?? 0] as const);
  const [field] = sizes.toSorted(([, a], [, b]) => b - a)[0]!;
  const reason = `${field} is too long: the request body has ${bytes} bytes, and the service accepts at most ${limits.requestBodyBytes}`;
  return { field, reason, remedy: field === "inputObjectKeys" ? fewerObjects : "shorten it" };
}

const fewerObjects = "name fewer objects, put them into fewer larger ones, or split them into several tables";

function encodeParameter([name, value]: [string, unknown]): string {
  return `${name}=${encodeURIComponent(Array.isArray(value) ? value.join(",") : String(value))}`;
}
