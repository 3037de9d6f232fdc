/** Turns an answer into the operation's result or its error: the only place where the client does. */
import * as z from "zod";
import { apiError, errorBody, operations, type Operation, type OperationName } from "../../contract";
import { MalformedAnswerError, UnexpectedAnswerError } from "./errors";
import type { EncodedRequest } from "./request";
import { parseRetryAfter } from "./retry";
import type { WireAnswer } from "./transport";

/** What of the client's settings matters to an answer. */
export interface AnswerContext {
  /** What the service's own headers start with, in lower case. */
  readonly headerPrefix: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The result of an operation, as its schema has it; undefined where it has none.
 * @throws the ApiError that was answered; {UnexpectedAnswerError} for an error or redirect that is not the API's;
 * {MalformedAnswerError} for a success that is not what the API promises.
 */
export function decodeAnswer(request: EncodedRequest, answer: WireAnswer, context: AnswerContext): unknown {
  const { operation: name, resource } = request;
  const { status, text } = answer;
  const body = parseJson(text);
  const requestId = answer.header(`${context.headerPrefix}request-id`);
  const retryAfter = parseRetryAfter(answer.header("retry-after"), context.now);
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
    throw new UnexpectedAnswerError(unexpected(name, answer), { ...details, sent: true });
  }
  const { response } = operations[name] as Operation;
  if (!response) return undefined;
  const result = response.safeParse(body);
  if (result.success) return result.data;
  const why =
    body === undefined ? `is not JSON: ${excerpt(text)}` : `is not as promised: ${z.prettifyError(result.error)}`;
  throw new MalformedAnswerError(`${name}: the answer (${status}${identified(requestId)}) ${why}`, {
    ...details,
    sent: true,
  });
}

function unexpected(name: OperationName, answer: WireAnswer): string {
  const { status, text } = answer;
  const target = answer.header("location");
  if (status >= 300 && status < 400) {
    return `${name}: the endpoint redirects (${status}) to ${target ?? "nowhere"}; redirects are not followed, set the endpoint to the service itself`;
  }
  return `${name}: status ${status} without an error of the API, so something before the service may have answered: ${excerpt(text)}`;
}

function identified(requestId: string | undefined): string {
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
