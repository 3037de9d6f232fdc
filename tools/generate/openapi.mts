/** openapi.json: the API as OpenAPI 3.1, from the contract's tables and schemas. */
import { createRequire } from "node:module";
import type * as zod from "zod";
import { type ApiExample, apiExamples } from "./api-examples.mts";

const require = createRequire(import.meta.url);
const contract = require("../../dist/contract/index.js") as typeof import("../../contract/index.ts");
const z = require("zod") as typeof zod;
const { errorCodes, errorTable, fields, metaOf, operationNames, operations } = contract;
type Operation = import("../../contract/index.ts").Operation;
type Json = Record<string, unknown>;

/** Codes that every operation can answer besides its own. */
const commonCodes = errorCodes.filter((code) => errorTable[code].source !== "api");

/** Returns the description as an object. */
export function openApi(): Json {
  const paths: Record<string, Json> = {};
  for (const name of operationNames) {
    const operation: Operation = operations[name];
    const path = `${operation.path}?${operation.key}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(name, operation) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Query and Cluster Management Service",
      version: "1",
      description:
        "Runs HiveQL selects and splits on clusters over dag:// objects. A path and one operation key in the query string (`?select`, `?split`, `?query`, `?clusterManagement`) select an operation; the paths of this description have the key.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "http://127.0.0.1:9393", description: "A service on this machine" }],
    security: [{ signature: [] }],
    paths,
    components: {
      securitySchemes: {
        signature: { type: "apiKey", in: "header", name: "Authorization", description: signatureText() },
      },
      schemas: { Error: jsonSchema(contract.errorBody, "output") },
      headers: {
        RequestId: { description: "Identifier of the request, for the service's log.", schema: { type: "string" } },
      },
    },
  };
}

function operationObject(name: keyof typeof operations, operation: Operation): Json {
  const { body, parameters, summary, success } = operation;
  const example: ApiExample = apiExamples[name];
  return {
    operationId: name,
    summary: summary.split(". ")[0]!.replace(/\.$/, ""),
    description: summary,
    tags: [operation.key === "clusterManagement" ? "clusters" : "queries"],
    parameters: [...pathParameters(operation), ...queryParameters(parameters), ...(body ? [idempotencyKey] : [])],
    ...(body && {
      requestBody: {
        required: !operation.emptyBody,
        content: {
          "application/json": {
            schema: jsonSchema(body, "input"),
            ...(example.body ? { example: example.body } : {}),
          },
        },
      },
    }),
    responses: { [success]: successResponse(operation, example.answer), ...errorResponses(operation) },
  };
}

function pathParameters({ path }: Operation): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const schema = (fields as unknown as Record<string, zod.ZodType>)[name]!;
    return {
      name,
      in: "path",
      required: true,
      description: metaOf(schema)?.description,
      schema: jsonSchema(schema, "input"),
    };
  });
}

function queryParameters(parameters: zod.ZodObject | undefined): Json[] {
  return Object.entries(parameters?.shape ?? {}).map(([name, schema]) => {
    const type = jsonSchema(schema as zod.ZodType, "input");
    const list = type["type"] === "array" ? { style: "form", explode: false } : {};
    return {
      name,
      in: "query",
      required: false,
      description: metaOf(schema as zod.ZodType)?.description,
      ...list,
      schema: type,
    };
  });
}

function successResponse({ response }: Operation, example: object | undefined): Json {
  return {
    description: response ? "The operation has succeeded." : "The operation has succeeded; there is no body.",
    headers: responseHeaders,
    ...(response && {
      content: { "application/json": { schema: jsonSchema(response, "output"), ...(example ? { example } : {}) } },
    }),
  };
}

const idempotencyKey = {
  name: contract.idempotencyKeyHeader,
  in: "header",
  required: false,
  description:
    "A text that is used for this request only, such as a UUID. The same request with the same key is answered as the first one was, for 10 minutes, and done once.",
  schema: { type: "string", minLength: 1, maxLength: 128, pattern: "^[ -~]+$" },
};

const responseHeaders = { "x-svc-request-id": { $ref: "#/components/headers/RequestId" } };

/** One response for each status, with the codes that it can have. */
function errorResponses({ errors }: Operation): Json {
  const codes = [...new Set([...errors, ...commonCodes])];
  const byStatus = Map.groupBy(codes, (code) => errorTable[code].status);
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, list]) => [
        status,
        {
          description: list.map((code) => `${code}: ${errorTable[code].meaning}`).join("; "),
          headers: responseHeaders,
          content: {
            "application/json": {
              schema: { allOf: [{ $ref: "#/components/schemas/Error" }, { properties: { code: { enum: list } } }] },
            },
          },
        },
      ]),
  );
}

/** The JSON schema of a contract's schema, with the fields' descriptions. */
function jsonSchema(schema: zod.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema: made }) => {
      const description = metaOf(zodSchema as unknown as zod.ZodType)?.description;
      if (description !== undefined) made.description = description;
      // JavaScript's limits of an integer say nothing about the API.
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
    },
  }) as Json;
  return rest;
}

function signatureText(): string {
  const date = "Fri, 20 Nov 2026 13:46:11 GMT";
  const request = { method: "GET", target: "/v1/?query&max=5", date };
  const withDate = contract.signRequest(request, "SK");
  const withOwn = contract.signRequest({ ...request, dateHeader: "x-svc-date" }, "SK");
  return [
    "`Authorization: IIJGIO <access key id>:<signature>`. The signature is base64(HMAC-SHA1(secret, text)); the text is the method, an empty line, the Content-Type (empty without one), the Date header, and the path with the operation key, joined by newlines. With the header `x-svc-date` in place of `Date`, the line of Date is empty and the line `x-svc-date:<value>` stands before the path.",
    `Example: access key AK with the secret SK, GET /v1/?query&max=5 at ${date}.`,
    `Text: "GET\\n\\n\\n${date}\\n/v1/?query". Header: IIJGIO AK:${withDate}`,
    `Text with x-svc-date: "GET\\n\\n\\n\\nx-svc-date:${date}\\n/v1/?query". Header: IIJGIO AK:${withOwn}`,
  ].join("\n\n");
}
