/** Validates request values: maps zod's issues to the specified error of each field. */
import * as z from "zod";
import { apiError, type ApiError, type ApiErrorDetails, type ErrorCode } from "./errors";
import { fieldRegistry } from "./fields";
import { shortened } from "./printable";

/** An invalid value. */
export interface Problem {
  /** Body field or query parameter. */
  readonly field: string;
  /** Error code of the service for this problem. */
  readonly code: ErrorCode;
  /** Names the field, its value and the rule. */
  readonly message: string;
}

/** Returns every problem of a request's fields, in the order of the schema. */
export function problems(schema: z.ZodObject, value: unknown): Problem[] {
  const parsed = schema.safeParse(value);
  if (parsed.success) return [];
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const fieldNames = Object.keys(schema.shape);
  // An unknown field has the index -1 and is sorted to the end.
  const rank = (field: string) => fieldNames.indexOf(field) >>> 0;
  return parsed.error.issues
    .flatMap((issue) => toProblems(issue, schema, given))
    .sort((a, b) => rank(a.field) - rank(b.field));
}

/**
 * Returns the parsed value without its null fields.
 * @param details added to the error.
 * @throws the ApiError of the first problem.
 */
export function validate<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
  details: ApiErrorDetails = {},
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return withoutNulls(parsed.data) as z.output<Schema>;
  const [first] = problems(schema, value);
  throw problemError(first!, details);
}

/** Creates the error of a problem. */
function problemError({ code, message, field }: Problem, details: ApiErrorDetails = {}): ApiError {
  return apiError(code, message, { ...details, field });
}

function toProblems(issue: z.core.$ZodIssue, schema: z.ZodObject, given: Record<string, unknown>): Problem[] {
  if (issue.code === "unrecognized_keys" && issue.path.length > 0) {
    const field = String(issue.path[0]);
    const path = pathOf(issue.path);
    const names = Object.keys(objectAt(schema, issue.path)?.shape ?? {});
    const known = names.length === 0 ? "" : `; the fields of ${path} are ${names.join(", ")}`;
    const message = issue.keys.map((key) => `${path}.${key} does not exist${known}`).join("; ");
    return [{ field, code: "InvalidParameter", message }];
  }
  if (issue.code === "unrecognized_keys") {
    const names = Object.keys(schema.shape);
    const known = names.length === 0 ? "it has no fields" : `the fields are ${names.join(", ")}`;
    return issue.keys.map((field) => ({
      field,
      code: "InvalidParameter",
      message: `${field} is not a field of this request; ${known}`,
    }));
  }
  const [field, ...rest] = issue.path;
  if (field === undefined)
    return [{ field: "body", code: "InvalidParameter", message: "the request must be a JSON object" }];
  const name = String(field);
  const fieldSchema = schema.shape[name] as z.ZodType | undefined;
  const code = (fieldSchema && metaOf(fieldSchema)?.code) ?? "InvalidParameter";
  const at = pathOf(issue.path);
  if (given[name] === undefined) return [{ field: name, code, message: `${name} is missing: ${issue.message}` }];
  const value = rest.reduce<unknown>(
    (inner, step) => (inner as Record<PropertyKey, unknown> | undefined)?.[step],
    given[name],
  );
  return [{ field: name, code, message: `${at} ${quote(value)} is not valid: ${issue.message}` }];
}

/** Returns the metadata of a field schema, also when the schema is wrapped in `optional` or `nullish`. */
export function metaOf(schema: z.ZodType): { readonly code: ErrorCode; readonly description: string } | undefined {
  const own = fieldRegistry.get(schema);
  if (own) return own;
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? metaOf(schema.unwrap() as z.ZodType)
    : undefined;
}

/** Returns a path as it is written in a program, such as `expect.columns[0]`. */
function pathOf([name, ...rest]: readonly PropertyKey[]): string {
  return rest.reduce<string>(
    (path, step) => (typeof step === "number" ? `${path}[${step}]` : `${path}.${String(step)}`),
    String(name),
  );
}

/** Returns the object at a path of a schema; undefined if there is none. */
function objectAt(schema: z.ZodType, [step, ...rest]: readonly PropertyKey[]): z.ZodObject | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return objectAt(schema.unwrap() as z.ZodType, step === undefined ? [] : [step, ...rest]);
  }
  if (!(schema instanceof z.ZodObject)) return undefined;
  if (step === undefined) return schema;
  const inner = (schema.shape as Readonly<Record<PropertyKey, z.ZodType | undefined>>)[step];
  return inner && objectAt(inner, rest);
}

function quote(value: unknown): string {
  const text = toText(value);
  return text.length > 80 ? shortened(text, 77) : text;
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // JSON cannot represent a bigint or a circular object.
    return typeof value === "bigint" ? String(value) : Object.prototype.toString.call(value);
  }
}

function withoutNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined));
}
