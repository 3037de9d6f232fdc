/** Decodes the body and parameters of a request by the schemas of its operation. */
import * as z from "zod";
import {
  errors,
  fields,
  operations,
  printable,
  shortened,
  validate,
  type Operation,
  type OperationName,
  type RequestBody,
  type RequestParameters,
} from "../../contract";
import { endOfJsonString } from "../../contract/json-text";
import type { Route } from "./route";

type PathParameter<Name extends OperationName> = (typeof operations)[Name]["path"] extends `${string}{queryId}${string}`
  ? { readonly queryId: number }
  : (typeof operations)[Name]["path"] extends `${string}{clusterName}${string}`
    ? { readonly clusterName: string }
    : unknown;

/** The validated request of an operation. */
export type DecodedRequest<Name extends OperationName> = PathParameter<Name> & {
  readonly body: RequestBody<Name>;
  readonly parameters: RequestParameters<Name>;
};

/** Maximum nesting of a JSON body; valid requests need two levels. */
const maxDepth = 32;

/** A request whose operation is known only at run time. */
export interface AnyRequest {
  readonly body: unknown;
  readonly parameters: unknown;
}

/**
 * Validates a request: first its body, then its query parameters, then its path parameter.
 * @param body bytes of the body; empty without a body.
 * @throws MalformedJSON, InvalidParameter, or the error code that the specification assigns to the field.
 */
export function decode(route: Route, body: Uint8Array): AnyRequest {
  const operation: Operation = operations[route.operation];
  return {
    body: operation.body && validate(operation.body, bodyValue(operation, body)),
    parameters: validate(operation.parameters ?? noParameters, parameterValues(operation, route.query)),
    ...pathValues(operation, route.parameter),
  };
}

/** Validates the parameters of an operation that another path takes too. @throws InvalidParameter, as {@link decode} */
export function decodeParameters<Name extends OperationName>(
  name: Name,
  query: Route["query"],
): RequestParameters<Name> {
  const operation: Operation = operations[name];
  return validate(operation.parameters ?? noParameters, parameterValues(operation, query)) as RequestParameters<Name>;
}

const noParameters = z.strictObject({});
const clusterNameSchema = z.strictObject({ clusterName: fields.clusterName });
const queryIdSchema = z.strictObject({ queryId: fields.queryId });

function bodyValue({ emptyBody = false }: Operation, body: Uint8Array): unknown {
  const text = toText(body).trim();
  // Existing clients send restartCluster with an empty body or [] (design §2).
  if (emptyBody && (text === "" || text === "[]")) return {};
  if (text === "") throw new errors.MalformedJSON("the request body is empty: it must be a JSON object");
  checkStructure(text);
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new errors.MalformedJSON("the request body is JSON but not an object");
  }
  return value;
}

function toText(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw new errors.MalformedJSON("the request body is not valid UTF-8");
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the body, which may hold secrets, so only the position is passed on.
    const [, position] = /position (\d+)/.exec((error as Error).message) ?? [];
    const where = position === undefined ? "" : `: syntax error at character ${position}`;
    throw new errors.MalformedJSON(`the request body is not valid JSON${where}`);
  }
}

/**
 * Limits the nesting of a JSON text in one pass, so that recursive code such as the field validation cannot overflow
 * the stack. Refuses a field that is given twice, of which a parser takes one silently: it may name the folder that a
 * query replaces.
 */
function checkStructure(text: string): void {
  const names = new Set<string>();
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') {
      const start = index;
      index = endOfJsonString(text, start);
      if (depth === 1 && isFollowedByColon(text, index)) requireNew(names, text.slice(start, index + 1));
    } else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > maxDepth) throw new errors.MalformedJSON(`the request body is nested deeper than ${maxDepth} levels`);
  }
}

function isFollowedByColon(text: string, end: number): boolean {
  let next = end + 1;
  while (next < text.length && /\s/.test(text[next]!)) next += 1;
  return text[next] === ":";
}

/** @param quoted the name of a field, as the body has it */
function requireNew(names: Set<string>, quoted: string): void {
  const name = parseJson(quoted) as string;
  if (names.has(name)) throw new errors.MalformedJSON(`the request body has the field ${JSON.stringify(name)} twice`);
  names.add(name);
}

function parameterValues({ parameters }: Operation, query: Route["query"]): Record<string, unknown> {
  const values = Object.create(null) as Record<string, unknown>;
  const { shape } = parameters ?? noParameters;
  for (const [name, text] of query) {
    if (!Object.hasOwn(shape, name)) throw unknownParameter(name, Object.keys(shape));
    const value = fromText(shape[name as keyof typeof shape] as z.ZodType, text);
    if (value !== undefined) values[name] = value;
  }
  return { ...values };
}

function unknownParameter(name: string, known: readonly string[]) {
  const others = known.length === 0 ? "it has none" : `they are ${known.join(", ")}`;
  const text = `${printable(shortened(name, 80))} is not a query parameter of this operation; ${others}`;
  return new errors.InvalidParameter(text, { field: name });
}

/**
 * Converts a parameter to the type of its field. Text that does not convert is returned as is; validation refuses it.
 */
function fromText(schema: z.ZodType, text: string): unknown {
  if (schema instanceof z.ZodOptional) return fromText(schema.unwrap() as z.ZodType, text);
  if (schema instanceof z.ZodArray) {
    const parts = text.split(",").map((part) => part.trim());
    const given = [...new Set(parts)].filter((part) => part !== "");
    return given.length > 0 ? given : undefined;
  }
  if (schema instanceof z.ZodNumber) return wholeNumber(text);
  if (schema instanceof z.ZodBoolean)
    return ({ true: true, false: false } as Record<string, unknown>)[text.toLowerCase()] ?? text;
  return text;
}

/** Returns the number of a text that is a whole one, or the text, which validation refuses as it was sent. */
const wholeNumber = (text: string) =>
  /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;

function pathValues({ path }: Operation, parameter: string | undefined): object {
  if (parameter === undefined) return {};
  if (path.includes("{clusterName}")) return validate(clusterNameSchema, { clusterName: parameter });
  return validate(queryIdSchema, { queryId: /^[1-9]/.test(parameter) ? wholeNumber(parameter) : parameter });
}
