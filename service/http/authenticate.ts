/** Authenticates requests (specification §5, signature computation as design §2). */
import type { IncomingMessage } from "node:http";
import {
  dateHeaderName,
  defaultHeaderPrefix,
  errors,
  parseAuthorization,
  verifySignature,
  type SignedRequest,
} from "../../contract";
import type { Caller } from "../core/service-context";
import type { AccessKeys } from "./access-keys";
import { markCaller } from "./connections";
import { countOf } from "./target";

export interface AuthenticationOptions {
  readonly scheme: string;
  /** Prefix of the header that replaces `Date`. @default "x-svc-" */
  readonly headerPrefix?: string;
  readonly maxSkewSeconds: number;
  readonly keys: Pick<AccessKeys, "secretOf">;
  now(): number;
}

/** The parts of a request that authentication needs. */
export interface UnverifiedRequest extends Omit<SignedRequest, "date" | "dateHeader"> {
  readonly authorization: string | undefined;
  readonly date: string | undefined;
  /** Value of the header that replaces `Date`, such as `x-svc-date`; it takes precedence. */
  readonly ownDate?: string | undefined;
}

/**
 * Creates the function that authenticates requests.
 * @throws (the returned function) AccessDenied, InvalidAccessKeyId, SignatureDoesNotMatch, RequestTimeTooSkewed
 */
export function authenticator(
  options: AuthenticationOptions,
): (request: UnverifiedRequest) => Pick<Caller, "accessKeyId"> {
  const { scheme, headerPrefix = defaultHeaderPrefix, maxSkewSeconds, keys, now } = options;
  const ownHeader = dateHeaderName(headerPrefix);

  return ({ authorization, date: dateValue, ownDate, ...request }) => {
    const date = ownDate ?? dateValue;
    const dateHeader = ownDate === undefined ? undefined : ownHeader;
    const name = dateHeader ?? "Date";
    const expectedForm = `${scheme} <access key id>:<signature>`;
    if (!authorization)
      throw new errors.AccessDenied(`the Authorization header is missing: send it in the form ${expectedForm}`);
    const parsed = parseAuthorization(authorization);
    if (parsed?.scheme !== scheme)
      throw new errors.AccessDenied(`the Authorization header is not of the form ${expectedForm}`);
    const time = date === undefined ? Number.NaN : timeOf(date);
    if (date === undefined || Number.isNaN(time)) {
      throw new errors.AccessDenied(
        `the ${name} header is missing or not a date of the form Fri, 20 Nov 2026 13:46:11 GMT`,
      );
    }
    const secret = keys.secretOf(parsed.accessKeyId);
    // Verified also for unknown keys, so that the response time does not reveal which keys exist.
    const matches = verifySignature(parsed.signature, { ...request, date, dateHeader }, secret ?? "");
    if (secret === undefined)
      throw new errors.InvalidAccessKeyId("the access key ID in the Authorization header is unknown");
    if (!matches) {
      throw new errors.SignatureDoesNotMatch(
        `the signature does not match: check the secret access key, and that method, path, operation key, Content-Type and ${name} are signed as sent`,
      );
    }
    const skew = Math.abs(time - now()) / 1000;
    if (skew > maxSkewSeconds) {
      throw new errors.RequestTimeTooSkewed(
        `the ${name} header differs from the service's clock by ${Math.round(skew)} seconds, at most ${maxSkewSeconds} are allowed: sign again with the time in this response's Date header`,
      );
    }
    return { accessKeyId: parsed.accessKeyId };
  };
}

/** Authenticates a request, and remembers that its connection is a caller's. */
export type Authenticate = (incoming: IncomingMessage) => Pick<Caller, "accessKeyId">;

/** Creates the function that authenticates Node's requests. @throws (the returned function) as {@link authenticator} */
export function incomingAuthenticator(
  options: AuthenticationOptions & { readonly headerPrefix: string },
): Authenticate {
  const authenticate = authenticator(options);
  const ownHeader = dateHeaderName(options.headerPrefix);
  return ({ method = "", url = "", headers, rawHeaders, socket }) => {
    // Node has the first of several; a proxy might have checked another one.
    if (countOf("authorization", rawHeaders) > 1) {
      throw new errors.AccessDenied("the request has several Authorization headers: send one");
    }
    const { authorization, date, "content-type": contentType } = headers;
    const ownDate = headers[ownHeader] as string | undefined;
    const caller = authenticate({ method, target: url, contentType, authorization, date, ownDate });
    markCaller(socket, caller.accessKeyId);
    return caller;
  };
}

/** Returns the milliseconds since 1970 of a date as a text; without a time zone it is in UTC, as HTTP's dates are. */
function timeOf(date: string): number {
  const hasZone = !/\d\s*$/.test(date) || /[+-]\d{2}:?\d{2}\s*$/.test(date);
  if (hasZone) return Date.parse(date);
  return Date.parse(`${date.trim()}${/^\s*\d{4}-\d{2}-\d{2}T/.test(date) ? "Z" : " UTC"}`);
}
