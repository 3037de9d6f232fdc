import { expect, test } from "vitest";
import { errors } from "../../../../contract";
import { CallTimeoutError, ConnectionError, TlsError } from "../../../../provider/client";
import { StorageSpecificationError } from "../../../../storage";
import { servesProvider } from "../../../../provider/lifecycles/configuration";
import { describeError } from "../../../../provider/lifecycles/describe-error";

test("an error of the service is shown with its code, operation and request identifier", () => {
  const error = new errors.ClusterNotFound('cluster "demo" does not exist', {
    operation: "getCluster",
    requestId: "r1",
  });
  expect(describeError(error)).toBe('ClusterNotFound: cluster "demo" does not exist (getCluster, request r1)');
  expect(describeError(new errors.QueryNotFound("query 7 does not exist", { requestId: "r2" }))).toBe(
    "QueryNotFound: query 7 does not exist (request r2)",
  );
});

test("an unreachable endpoint is shown with its setting, and with no command for another endpoint", () => {
  const remedy = "\nCheck that the service runs, and dag:endpoint (or DAG_ENDPOINT).";
  for (const error of [
    new ConnectionError("no connection"),
    new TlsError("no TLS"),
    new CallTimeoutError("headers", "no answer"),
  ]) {
    expect(describeError(error)).toBe(`${error.message}${remedy}`);
  }
});

test("rejected credentials are shown with both ways to set them, never with their values", () => {
  expect(describeError(new errors.SignatureDoesNotMatch("the signature does not match"))).toBe(
    "SignatureDoesNotMatch: the signature does not match\n" +
      'Check dag:secretAccessKey ("pulumi config set --secret dag:secretAccessKey <secret>", or DAG_SECRET_ACCESS_KEY) ' +
      'and dag:accessKeyId ("pulumi config set dag:accessKeyId <key id>", or DAG_ACCESS_KEY_ID).',
  );
  expect(describeError(new errors.InvalidAccessKeyId("the key is unknown"))).toContain("or DAG_ACCESS_KEY_ID");
});

test("a storage error names dag:storage, except when the service itself cannot access its storage", () => {
  expect(describeError(new errors.StorageAccessError("no bucket"))).toContain("or DAG_STORAGE");
  expect(describeError(new StorageSpecificationError("neither of the two"))).toContain("or DAG_STORAGE");
  expect(describeError(new errors.StorageAccessError("no bucket", { requestId: "r3" }))).not.toContain("DAG_STORAGE");
});

test("any other error is shown with its message", () => {
  expect(describeError(new Error("what happened"))).toBe("what happened");
  expect(describeError("what happened")).toBe("what happened");
});

test("errors of an explicit provider name its arguments, and not the stack's keys, which it does not read", () => {
  const provider = (name: string) => `urn:pulumi:dev::shop::pulumi:providers:dag::${name}`;
  servesProvider(provider("other"));
  try {
    expect(describeError(new ConnectionError("no connection"))).toBe(
      'no connection\nCheck that the service runs, and endpoint of the provider resource "other" (or DAG_ENDPOINT).',
    );
    expect(describeError(new errors.SignatureDoesNotMatch("the signature does not match"))).toBe(
      "SignatureDoesNotMatch: the signature does not match\n" +
        'Check secretAccessKey of the provider resource "other" (or DAG_SECRET_ACCESS_KEY) ' +
        'and accessKeyId of the provider resource "other" (or DAG_ACCESS_KEY_ID).',
    );
  } finally {
    servesProvider(provider("default_1_0_0"));
  }
  expect(describeError(new ConnectionError("no connection"))).toContain("and dag:endpoint (");
});
