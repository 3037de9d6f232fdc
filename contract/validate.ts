/** Validates request values: maps zod's issues to the specified error of each field. */
import * as z from "zod";
import { apiError, type ApiError, type ApiErrorDetails, type ErrorCode } from "./errors";
import { fieldRegistry } from "./fields";

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
  const at = rest.reduce<string>(
    (path, step) => (typeof step === "number" ? `${path}[${step}]` : `${path}.${String(step)}`),
    name,
  );
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

function quote(value: unknown): string {
  const text = toText(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
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
