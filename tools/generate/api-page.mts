/** docs/api.md: the API as the service serves it, from the contract's tables and schemas. */
import { createRequire } from "node:module";
import type * as zod from "zod";
import { type ApiExample, apiExamples } from "./api-examples.mts";
import { type JsonType, jsonType, recordComments } from "./declarations.mts";

const require = createRequire(import.meta.url);
const contract = require("../../dist/contract/index.js") as typeof import("../../contract/index.ts");
const { errorTable, limits, operationNames, operations } = contract;
type OperationName = keyof typeof operations;

/** The file's text. */
export function apiPage(): string {
  return [
    "<!-- Written by `npm run generate` from contract/ and tools/generate/api-examples.mts. -->",
    "",
    "# The API",
    "",
    introduction(),
    "## Operations",
    "",
    ...table(
      ["Operation", "Request", "Success"],
      operationNames.map((name) => [
        `[${name}](#${name.toLowerCase()})`,
        requestLine(name),
        String(operations[name].success),
      ]),
    ),
    "",
    ...operationNames.flatMap(operationSection),
    ...statusSection(),
    ...limitSection(),
    ...errorSection(),
  ].join("\n");
}

function introduction(): string {
  return `Every operation of the API with its fields, answers and errors, for those who call the service without a library of ours. This lists the clusters of a service, with the key pair that it printed:

\`\`\`sh
export DAG_ENDPOINT=http://127.0.0.1:9393 DAG_ACCESS_KEY_ID=… DAG_SECRET_ACCESS_KEY=…

date=$(LC_ALL=C TZ=GMT date '+%a, %d %b %Y %H:%M:%S GMT')
signature=$(printf 'GET\\n\\n\\n%s\\n/v1/?clusterManagement' "$date" |
  openssl dgst -sha1 -hmac "$DAG_SECRET_ACCESS_KEY" -binary | base64)
curl -H "Date: $date" -H "Authorization: ${contract.defaultScheme} $DAG_ACCESS_KEY_ID:$signature" \\
  "$DAG_ENDPOINT/v1/?clusterManagement"
\`\`\`

The [console](console.md#api) writes such a command for each operation. From TypeScript, use [the client](client.md). [The service](service.md) says how to run it, and [API support](api-support.md) which behaviour the tests show.

The service answers HTTP/1.1 with JSON; the answers to a cancel, a restart and a log export (204) have no body. A path under \`/v1/\`, a method and one *operation key* in the query string (\`select\`, \`split\`, \`query\` or \`clusterManagement\`) select the operation. \`dag://<bucket>/<path>\` names objects and folders; a database is a bucket, and a table is the folder \`dag://<database>/<table>/\`.

## Requests

Every request has a \`Date\` header (RFC 1123, at most 15 minutes off the service's clock, unless its config says otherwise; this service takes \`2026-11-20T13:46:11Z\` and time zones such as \`+0900\` too) and one header

\`\`\`
Authorization: ${contract.defaultScheme} <access key id>:<signature>
\`\`\`

The signature is the base64 of an HMAC-SHA1, keyed with the secret access key. It is computed over five lines, without a newline at the end:

1. the method
2. an empty line
3. the request's \`Content-Type\`; empty without one
4. the \`Date\` header
5. the path with the operation key; other query parameters are not signed

A client that cannot set \`Date\`, such as a web page, sends the time in \`x-svc-date\` (the service's header prefix and \`date\`). Then the line of \`Date\` is empty, and the line \`x-svc-date:<value>\` stands before the path. If a request has both headers, \`x-svc-date\` counts. \`GET /v1/?query&max=5\` with \`x-svc-date: Fri, 20 Nov 2026 13:46:11 GMT\` has the signature \`${contract.signRequest({ method: "GET", target: "/v1/?query&max=5", date: "Fri, 20 Nov 2026 13:46:11 GMT", dateHeader: "x-svc-date" }, "SK")}\` for the key below.

For access key \`AK\` with the secret \`SK\`:

| Request | Content-Type | Date | Signature |
| --- | --- | --- | --- |
${workedSignatures().join("\n")}

A body is a JSON object in UTF-8 of at most ${limits.requestBodyBytes.toLocaleString("en")} bytes. Unknown fields are refused; an optional field that is \`null\` counts as not set.

A request with a body may have the header \`Idempotency-Key\`, 1 to 128 printable characters of ASCII that the caller uses for this request only, such as a UUID. When its answer is lost, send the same request with the same key again: it is answered as the first one was, with the same \`queryId\`, and nothing runs twice. This service keeps an answer for 10 minutes, up to 10,000 of them, in the memory of its process: it knows none after a restart, nor those of another process. A request that was refused is not kept, and a key that comes for the same operation with another target or body is an \`InvalidParameter\`; keys of another operation or access key are others. The header is not signed.

## Answers

Every answer has the headers \`Date\`, \`Server\` and \`x-svc-request-id\`. An error answer has this body; \`message\` names the field, its value and what it must be:

\`\`\`json
${JSON.stringify(errorExample, null, 2)}
\`\`\`

A list answers at most ${limits.listPage} records. When \`isTruncated\` is true, send the same request with \`marker\` set to \`nextMarker\` for the next page.
`;
}

const errorExample = {
  code: "ClusterNotFound",
  message: 'cluster "dmo" does not exist: this service has the clusters demo',
  status: 404,
  requestId: "0b9f6f0a-5f0e-4f5c-9d0b-8f3d1f2c7a11",
  resource: "/v1/?select",
};

/** The rows of worked signatures, computed by the contract's own function. */
function workedSignatures(): string[] {
  const date = "Fri, 20 Nov 2026 13:46:11 GMT";
  const requests = [
    { method: "GET", target: "/v1/?query&max=5", contentType: "" },
    { method: "POST", target: "/v1/?select", contentType: "application/json" },
    { method: "PUT", target: "/v1/c1/log?clusterManagement", contentType: "application/json" },
    { method: "DELETE", target: "/v1/7?query", contentType: "application/json" },
  ];
  return requests.map(({ method, target, contentType }) => {
    const signature = contract.signRequest({ method, target, contentType, date }, "SK");
    return `| \`${method} ${target}\` | ${contentType} | ${date} | \`${signature}\` |`;
  });
}

function requestLine(name: OperationName): string {
  const { method, path, key } = operations[name];
  return `\`${method} ${path}?${key}\``;
}

function operationSection(name: OperationName): string[] {
  const operation: ContractOperation = operations[name];
  const { summary, path, body, emptyBody, parameters, response, success, errors } = operation;
  return [
    `## ${name}`,
    "",
    `${requestLine(name)}`,
    "",
    summary,
    "",
    ...(path.includes("{") ? pathParameter(path) : []),
    ...(body ? [emptyBody ? "Body (may be empty):" : "Body:", "", ...fieldTable(body), ""] : []),
    ...(parameters ? ["Query parameters:", "", ...fieldTable(parameters), ""] : []),
    response ? `Answer: ${success} with` : `Answer: ${success} without a body.`,
    "",
    ...(response ? [...answerTables(response), ""] : []),
    ...(errors.length > 0
      ? ["Errors, besides [those of all operations](#errors):", "", ...errorTableOf(errors), ""]
      : []),
    ...example(name),
  ];
}

type ContractOperation = import("../../contract/operations.ts").Operation;

function pathParameter(path: string): string[] {
  const field = path.includes("{queryId}") ? contract.fields.queryId : contract.fields.clusterName;
  const name = path.includes("{queryId}") ? "queryId" : "clusterName";
  return [
    `\`{${name}}\`: ${contract.metaOf(field)?.description ?? ""} An invalid one is refused with \`${contract.metaOf(field)?.code}\`.`,
    "",
  ];
}

function fieldTable(schema: zod.ZodObject): string[] {
  const rows = Object.entries(schema.shape as Record<string, zod.ZodType>).map(([name, field]) => {
    const meta = contract.metaOf(field);
    const required = isOptional(field) ? "no" : "yes";
    return [
      `\`${name}\``,
      typeText(jsonType(field)),
      required,
      meta?.description ?? "",
      `\`${meta?.code ?? "InvalidParameter"}\``,
    ];
  });
  return table(["Field", "Type", "Required", "Meaning", "Error for an invalid value"], rows);
}

function isOptional(field: zod.ZodType): boolean {
  return field.safeParse(undefined).success;
}

/** One table for each form of the answer; objects within objects follow as `outer.inner`. */
function answerTables(response: zod.ZodType): string[] {
  const type = jsonType(response);
  const forms = type.oneOf ?? type.anyOf;
  if (!forms) return table(["Field", "Type", "Meaning"], fieldRows(type, ""));
  return forms.flatMap((form, index) => [
    ...(index > 0 ? [""] : []),
    `when \`type\` is \`${form.properties?.["type"]?.const}\`:`,
    "",
    ...table(["Field", "Type", "Meaning"], fieldRows(form, "")),
  ]);
}

function fieldRows({ properties = {}, required = [] }: JsonType, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, type]) => {
    const path = `${prefix}${name}`;
    const inner = objectWithin(type);
    const note = required.includes(name) ? "" : " May be absent or null.";
    const meaning = `${type.description ?? recordComments()[name] ?? ""}${note}`.trim();
    const row = [`\`${path}\``, typeText(type), meaning];
    // Records of lists have their own sections.
    if (!inner || name === "queries" || name === "clusters") return [row];
    return [row, ...fieldRows(inner, type.type === "array" ? `${path}[].` : `${path}.`)];
  });
}

function objectWithin(type: JsonType): JsonType | undefined {
  if (type.type === "object") return type;
  return type.items?.type === "object" ? type.items : undefined;
}

/** A type as people read it. */
function typeText(type: JsonType): string {
  const forms = (type.anyOf ?? type.oneOf)?.filter((form) => form.type !== "null");
  if (forms?.length === 1) return typeText(forms[0]!);
  if (type.const !== undefined) return `\`${type.const}\``;
  if (type.enum) return type.enum.map((value) => `\`${value}\``).join(", ");
  if (type.type === "array") return type.items?.type === "string" ? "array of strings" : "array of objects";
  if (forms) return "object";
  return typeof type.type === "string" ? type.type : (type.type?.find((one) => one !== "null") ?? "any");
}

function example(name: OperationName): string[] {
  const { target, body, answer }: ApiExample = apiExamples[name];
  const { method, success } = operations[name];
  const request = [
    `${method} ${target} HTTP/1.1`,
    ...(body ? ["Content-Type: application/json", "", JSON.stringify(body, null, 2)] : []),
  ];
  const reply = [
    `HTTP/1.1 ${success}`,
    ...(answer ? ["Content-Type: application/json", "", JSON.stringify(answer, null, 2)] : []),
  ];
  return ["Example:", "", "```http", ...request, "```", "", "```http", ...reply, "```", ""];
}

function statusSection(): string[] {
  const groups = Object.entries(contract.allowedClusterStatuses).map(([group, statuses]) => [
    groupNames[group as keyof typeof groupNames],
    statuses.map((status) => `\`${status}\``).join(", "),
  ]);
  return [
    "## Statuses",
    "",
    `A query is \`running\` until it has one of the final statuses ${contract.queryStatuses
      .filter((status) => status !== "running")
      .map((status) => `\`${status}\``)
      .join(", ")}.`,
    "",
    `A cluster is one of ${contract.clusterStatuses.map((status) => `\`${status}\``).join(", ")}. Operations need one of these, and answer \`InvalidClusterState\` otherwise:`,
    "",
    ...table(["Operations", "Statuses"], groups),
    "",
  ];
}

const groupNames = {
  submit: "submitSelect, submitSplit",
  restart: "restartCluster",
  inspect: "getClusterStatistics, exportClusterLog",
} as const;

function limitSection(): string[] {
  const rows = [
    ["Queries that run at a time on a cluster", "instances − 1 (`TooManyQueries`)"],
    ["Log exports that run at a time on a cluster", "1 (`ExportLogIsAlreadyRunning`)"],
    ["Records in one list answer", String(limits.listPage)],
    [
      "Size of an object that a split writes",
      `${limits.splitObjectBytes.toLocaleString("en")} bytes; a longer row is an object of its own`,
    ],
    ["Characters of a label", `${limits.label} (\`LabelIsTooLong\`)`],
    ["Bytes of a request body", `${limits.requestBodyBytes.toLocaleString("en")} (\`EntityTooLarge\`)`],
  ];
  return ["## Limits", "", ...table(["What", "Limit"], rows), ""];
}

function errorSection(): string[] {
  const named = new Set<string>(operationNames.flatMap((name) => [...operations[name].errors]));
  const common = (Object.keys(errorTable) as (keyof typeof errorTable)[]).filter((code) => !named.has(code));
  return ["## Errors", "", "Any operation can answer these:", "", ...errorTableOf(common), ""];
}

function errorTableOf(codes: readonly (keyof typeof errorTable)[]): string[] {
  const rows = codes.map((code) => [`\`${code}\``, String(errorTable[code].status), errorTable[code].meaning]);
  return table(["Code", "Status", "Meaning"], rows);
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)];
}
