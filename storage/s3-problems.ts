/** Says what the errors of S3 mean, by the codes of the server, of the SDK and of the operating system. */

/** What keeps a program from using an S3 server. */
export type S3Problem =
  | "no-credentials"
  | "unknown-key"
  | "wrong-secret"
  | "clock"
  | "denied"
  | "no-region"
  | "unreachable"
  | "certificate"
  | "not-s3";

const problems: Readonly<Record<string, S3Problem>> = {
  CredentialsProviderError: "no-credentials",
  TokenProviderError: "no-credentials",
  InvalidAccessKeyId: "unknown-key",
  UnrecognizedClientException: "unknown-key",
  XAdminUserNotFound: "unknown-key",
  InvalidToken: "unknown-key",
  ExpiredToken: "unknown-key",
  SignatureDoesNotMatch: "wrong-secret",
  RequestTimeTooSkewed: "clock",
  RequestExpired: "clock",
  AccessDenied: "denied",
  AuthorizationHeaderMalformed: "no-region",
  NoBucketList: "not-s3",
  ECONNREFUSED: "unreachable",
  ECONNRESET: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ENOTFOUND: "unreachable",
  EAI_AGAIN: "unreachable",
  ETIMEDOUT: "unreachable",
  EPIPE: "unreachable",
  TimeoutError: "unreachable",
  AbortError: "unreachable",
  DEPTH_ZERO_SELF_SIGNED_CERT: "certificate",
  SELF_SIGNED_CERT_IN_CHAIN: "certificate",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "certificate",
  CERT_HAS_EXPIRED: "certificate",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate",
};

/** Returns the problem that an error, or one of its causes, reports; undefined for any other error. */
export function s3Problem(error: unknown): S3Problem | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const { code, Code } = inner as { code?: unknown; Code?: unknown };
    const found = problems[String(code)] ?? problems[String(Code)] ?? problems[inner.name];
    if (found) return found;
    const status = statusOf(inner);
    if (status !== undefined && status < 500) return status === 403 ? "denied" : "not-s3";
    // The SDK could not read the answer as XML.
    if (inner instanceof SyntaxError || (status !== undefined && "$responseBodyText" in inner)) return "not-s3";
  }
  return undefined;
}

/** Returns true when S3 itself denies a request, and not whatever else answers 403 at a wrong address. */
export function isS3Denial(error: unknown): boolean {
  for (let inner = error; inner instanceof Error; inner = inner.cause) if (inner.name === "AccessDenied") return true;
  return false;
}

/** Returns true when a request may succeed later: S3 did not answer, was too busy, or failed by itself. */
export function isTransientS3Error(error: unknown): boolean {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const status = statusOf(inner);
    if (status !== undefined) return status >= 500 || status === 429;
    if (problems[String((inner as { code?: unknown }).code)] === "unreachable") return true;
    if (problems[inner.name] === "unreachable") return true;
  }
  return false;
}

function statusOf(error: Error): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}
