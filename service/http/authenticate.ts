/** Who sent a request (specification §5, computation as design §2). */
import { errors, parseAuthorization, verifySignature, type Credentials, type SignedRequest } from "../../contract";
import type { Caller } from "../core/service-context";

export interface AuthenticationOptions {
  readonly scheme: string;
  readonly maxSkewSeconds: number;
  readonly credentials: readonly Credentials[];
  now(): number;
}

/** The parts of a request that say who sent it. */
export interface ClaimedRequest extends Omit<SignedRequest, "date"> {
  readonly authorization: string | undefined;
  readonly date: string | undefined;
}

/**
 * Makes the check of requests' signatures.
 * @throws (the check) AccessDenied, InvalidAccessKeyId, SignatureDoesNotMatch, RequestTimeTooSkewed
 */
export function authenticator(options: AuthenticationOptions): (request: ClaimedRequest) => Caller {
  const { scheme, maxSkewSeconds, now } = options;
  const secrets = new Map(
    options.credentials.map(({ accessKeyId, secretAccessKey }) => [accessKeyId, secretAccessKey]),
  );

  return ({ authorization, date, ...request }) => {
    const form = `${scheme} <access key id>:<signature>`;
    if (!authorization) throw new errors.AccessDenied(`the Authorization header is missing; it has the form ${form}`);
    const claim = parseAuthorization(authorization);
    if (claim?.scheme !== scheme) throw new errors.AccessDenied(`the Authorization header is not of the form ${form}`);
    const time = date === undefined ? Number.NaN : Date.parse(date);
    if (date === undefined || Number.isNaN(time)) {
      throw new errors.AccessDenied(
        "the Date header is missing or not a date of the form Fri, 20 Nov 2026 13:46:11 GMT",
      );
    }
    const secret = secrets.get(claim.accessKeyId);
    // An unknown key takes as long as a known one.
    const matches = verifySignature(claim.signature, { ...request, date }, secret ?? "");
    if (secret === undefined)
      throw new errors.InvalidAccessKeyId("the access key id of the Authorization header is unknown");
    if (!matches) {
      throw new errors.SignatureDoesNotMatch(
        "the signature does not match: check the secret access key, and that method, path, operation key, Content-Type and Date are signed as sent",
      );
    }
    const skew = Math.abs(time - now()) / 1000;
    if (skew > maxSkewSeconds) {
      throw new errors.RequestTimeTooSkewed(
        `the Date header is ${Math.round(skew)} seconds off the service's clock; ${maxSkewSeconds} are allowed: sign again with the time of this answer's Date`,
      );
    }
    return { accessKeyId: claim.accessKeyId };
  };
}
