import { describe, expect, it } from "vitest";
import { apiError, errorCodes, errors, errorTable, type Operation } from "../../../../contract";
import {
  CallAbortedError,
  CallTimeoutError,
  ConnectionError,
  InvalidClientOptionError,
  isTransient,
  MalformedAnswerError,
  mayHaveBeenCarriedOut,
  TlsError,
  UnexpectedAnswerError,
} from "../../../../provider/client";
import { classifyFailure } from "../../../../provider/client/failure-classification";

const classified = (error: unknown) =>
  (["GET", "DELETE", "POST", "PUT"] as const satisfies Operation["method"][]).map(
    (method) => classifyFailure(method, error).kind,
  );
const all = (kind: string) => [kind, kind, kind, kind];
const harmlessOnly = (kind: string) => [kind, kind, "never", "never"];

describe("classifyFailure: GET, DELETE, POST, PUT", () => {
  it.each<[string, unknown, string[]]>([
    ["no connection", new ConnectionError("", { sent: false }), all("transient")],
    ["no connection in time", new CallTimeoutError("connect", "", { sent: false }), all("transient")],
    ["no TLS", new TlsError("", { sent: false }), all("never")],
    ["a broken connection", new ConnectionError("", { sent: true }), harmlessOnly("transient")],
    ["no answer in time", new CallTimeoutError("headers", "", { sent: true }), harmlessOnly("transient")],
    ["half of an answer in time", new CallTimeoutError("body", "", { sent: true }), harmlessOnly("transient")],
    ["429 of the service", new errors.TooManyRequests(""), harmlessOnly("throttled")],
    ["429 of something else", new UnexpectedAnswerError("", { status: 429, sent: true }), harmlessOnly("throttled")],
    ["503 of the service", new errors.ServiceUnavailable(""), harmlessOnly("transient")],
    ["503 of something else", new UnexpectedAnswerError("", { status: 503, sent: true }), harmlessOnly("transient")],
    ["503 with another code", apiError("Unheard", "", { status: 503 }), harmlessOnly("transient")],
    ["500 of the service", new errors.InternalError(""), harmlessOnly("transient")],
    ["502 of something else", new UnexpectedAnswerError("", { status: 502, sent: true }), harmlessOnly("transient")],
    ["408 of the service", new errors.RequestTimeout(""), harmlessOnly("transient")],
    ["404 of something else", new UnexpectedAnswerError("", { status: 404, sent: true }), all("never")],
    ["a redirect", new UnexpectedAnswerError("", { status: 302, sent: true }), all("never")],
    ["a malformed answer", new MalformedAnswerError("", { status: 200, sent: true }), all("never")],
    ["the caller's signal", new CallAbortedError("", { sent: true }), all("never")],
    ["anything else", new TypeError("bug"), all("never")],
  ])("%s", (_, error, expected) => expect(classified(error)).toEqual(expected));

  it.each(errorCodes.filter((code) => errorTable[code].status < 500 && ![408, 429].includes(errorTable[code].status)))(
    "%s is final",
    (code) => expect(classified(new errors[code](""))).toEqual(all("never")),
  );

  it("returns Retry-After", () => {
    expect(classifyFailure("DELETE", new errors.TooManyRequests("", { retryAfter: 7 })).retryAfter).toBe(7);
    expect(classifyFailure("GET", new UnexpectedAnswerError("", { status: 503, retryAfter: 8 })).retryAfter).toBe(8);
  });
});

describe("mayHaveBeenCarriedOut", () => {
  it.each<[string, unknown, boolean]>([
    ["nothing was sent", new ConnectionError("", { sent: false }), false],
    ["the answer was lost", new ConnectionError("", { sent: true }), true],
    ["the answer was malformed", new MalformedAnswerError("", { sent: true }), true],
    ["a refused option", new InvalidClientOptionError(""), false],
    ["a refusal", new errors.TooManyQueries(""), false],
    ["a service that is not available", new errors.ServiceUnavailable(""), true],
    ["a service that failed in the middle", new errors.InternalError(""), true],
    ["a request that was refused before it was sent", new errors.InvalidQueryId(""), false],
    ["an unknown error", new Error("?"), true],
  ])("%s", (_, error, expected) => expect(mayHaveBeenCarriedOut(error)).toBe(expected));
});

describe("isTransient", () => {
  it("returns false for errors of neither the client nor the service", () => {
    expect([undefined, null, "x", new Error("x")].some(isTransient)).toBe(false);
  });
});
