/** Decodes an HTTP response into the operation's result or its error. */
import { apiError, errorBody, printable, shortened } from "../../contract";
import { MalformedAnswerError, UnexpectedAnswerError } from "./errors";
import type { EncodedRequest } from "./request";
import { parseBoundedJson, UnboundedJsonError } from "./bounded-json";
import { parseRetryAfter } from "./retry";
import { schemaProblems } from "./schema-problems";
import type { HttpResponse } from "./transport";

/** The client's settings that decoding depends on. */
export interface DecodeContext {
  /** Prefix of the service's own headers, in lower case. */
  readonly headerPrefix: string;
  /** Current time, in milliseconds since 1970. */
  readonly now: number;
}

/**
 * Returns the parsed result of an operation; undefined if the operation has none.
 * @throws the ApiError of an error response; {UnexpectedAnswerError} for an error, a redirect or another status that is
 * not of the API; {MalformedAnswerError} for a success response that does not match the operation's schema, or is the
 * record of another query or cluster.
 */
export function decodeResponse(request: EncodedRequest, response: HttpResponse, context: DecodeContext): unknown {
  const { operation: name, resource, response: schema } = request;
  const { status, text } = response;
  const requestId = identifier(response.header(`${context.headerPrefix}request-id`));
  const retryAfter = parseRetryAfter(response.header("retry-after"), context.now);
  const details = {
    operation: name,
    resource,
    status,
    ...(requestId !== undefined && { requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
  const malformed = (problem: string) =>
    new MalformedAnswerError(
      `${name}: the response (${status}${requestSuffix(requestId)}) ${problem}; check that the endpoint is the service's own URL`,
      { ...details, sent: true },
    );
  let body: unknown;
  try {
    body = parseBoundedJson(text);
  } catch (error) {
    if (error instanceof UnboundedJsonError) throw malformed(`${error.message}, as no response of the API has`);
    throw error;
  }
  if (!successes.has(status)) {
    const error = errorBody.safeParse(body);
    if (status >= 400 && error.success) {
      const { code, message } = error.data;
      throw apiError(identifier(code), shortened(message, maxMessage), {
        ...details,
        requestId: requestId ?? identifier(error.data.requestId),
        resource: printable(shortened(error.data.resource, maxResource)),
      });
    }
    throw new UnexpectedAnswerError(unexpectedResponseMessage(name, response), { ...details, sent: true });
  }
  if (!schema) return undefined;
  const result = schema.safeParse(body);
  if (!result.success) {
    if (body === undefined) throw malformed(`is not JSON: ${excerpt(text)}`);
    throw malformed(`does not match the API's schema: ${schemaProblems(result.error.issues, body)}`);
  }
  const { subject } = request;
  const found = subject && (result.data as Readonly<Record<string, unknown>>)[subject.field];
  if (subject && found !== subject.value) {
    throw malformed(`has the ${subject.field} ${excerpt(String(found))} and not ${subject.value}, which was asked for`);
  }
  return result.data;
}

/** The successes of the API. A 206 is a part of a body, and others are of a proxy. */
const successes: ReadonlySet<number> = new Set([200, 202, 204]);
/** Maximum length of the service's own message. */
const maxMessage = 8_192;
/** Maximum length of the path and operation key that the service names. */
const maxResource = 2_048;
/** Maximum length of a code or a request identifier. */
const maxIdentifier = 100;

/** Returns what an error shows of a code or a request identifier, which a service may choose freely. */
function identifier<Text extends string | undefined>(text: Text): Text {
  return (text === undefined ? undefined : printable(shortened(text, maxIdentifier))) as Text;
}

function unexpectedResponseMessage(name: string, response: HttpResponse): string {
  const { status, text } = response;
  const target = response.header("location");
  if (status >= 300 && status < 400) {
    return `${name}: the endpoint redirects (${status}) to ${target ?? "an unknown location"}; the client does not follow redirects, so set the endpoint to the service's own URL`;
  }
  return `${name}: status ${status} without an API error body, so a proxy may have responded instead of the service; check the endpoint. Response: ${excerpt(text)}`;
}

function requestSuffix(requestId: string | undefined): string {
  return requestId === undefined ? "" : `, request ${requestId}`;
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line === "" ? "(empty)" : line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
