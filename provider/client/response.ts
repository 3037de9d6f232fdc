/** Decodes an HTTP response into the operation's result or its error. */
import * as z from "zod";
import { apiError, errorBody } from "../../contract";
import { MalformedAnswerError, UnexpectedAnswerError } from "./errors";
import type { EncodedRequest } from "./request";
import { parseRetryAfter } from "./retry";
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
 * @throws the ApiError of an error response; {UnexpectedAnswerError} for an error or redirect that is not from the API;
 * {MalformedAnswerError} for a success response that does not match the operation's schema.
 */
export function decodeResponse(request: EncodedRequest, response: HttpResponse, context: DecodeContext): unknown {
  const { operation: name, resource, response: schema } = request;
  const { status, text } = response;
  const body = parseJson(text);
  const requestId = response.header(`${context.headerPrefix}request-id`);
  const retryAfter = parseRetryAfter(response.header("retry-after"), context.now);
  const details = {
    operation: name,
    resource,
    status,
    ...(requestId !== undefined && { requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
  if (status < 200 || status >= 300) {
    const error = errorBody.safeParse(body);
    if (status >= 400 && error.success) {
      const { code, message, requestId: bodyRequestId } = error.data;
      throw apiError(code, message, {
        ...details,
        requestId: requestId ?? bodyRequestId,
        resource: error.data.resource,
      });
    }
    throw new UnexpectedAnswerError(unexpectedResponseMessage(name, response), { ...details, sent: true });
  }
  if (!schema) return undefined;
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const problem =
    body === undefined
      ? `is not JSON: ${excerpt(text)}`
      : `does not match the API's schema: ${z.prettifyError(result.error)}`;
  throw new MalformedAnswerError(`${name}: the response (${status}${requestSuffix(requestId)}) ${problem}`, {
    ...details,
    sent: true,
  });
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
