import { expect, test } from "vitest";
import { errors } from "../../../../contract";
import { CallTimeoutError, ConnectionError, TlsError } from "../../../../provider/client";
import { StorageSpecificationError } from "../../../../storage";
import { explain } from "../../../../provider/lifecycles/explanation";

test("explain: an error of the service, with its code, operation and request identifier", () => {
  const error = new errors.ClusterNotFound('cluster "demo" does not exist', {
    operation: "getCluster",
    requestId: "r1",
  });
  expect(explain(error)).toBe('ClusterNotFound: cluster "demo" does not exist (getCluster, request r1)');
  expect(explain(new errors.QueryNotFound("query 7 does not exist", { requestId: "r2" }))).toBe(
    "QueryNotFound: query 7 does not exist (request r2)",
  );
});

test("explain: an endpoint that does not answer, with both ways to set it", () => {
  const remedy = '\nCheck dag:endpoint ("pulumi config set dag:endpoint http://127.0.0.1:9393", or DAG_ENDPOINT).';
  for (const error of [
    new ConnectionError("no connection"),
    new TlsError("no TLS"),
    new CallTimeoutError("headers", "no answer"),
  ]) {
    expect(explain(error)).toBe(`${error.message}${remedy}`);
  }
});

test("explain: refused credentials, with both ways to set them, and never their values", () => {
  expect(explain(new errors.SignatureDoesNotMatch("the signature does not match"))).toBe(
    "SignatureDoesNotMatch: the signature does not match\n" +
      'Check dag:secretAccessKey ("pulumi config set --secret dag:secretAccessKey <secret>", or DAG_SECRET_ACCESS_KEY) ' +
      'and dag:accessKeyId ("pulumi config set dag:accessKeyId <key id>", or DAG_ACCESS_KEY_ID).',
  );
  expect(explain(new errors.InvalidAccessKeyId("the key is unknown"))).toContain("or DAG_ACCESS_KEY_ID");
});

test("explain: storage that cannot be accessed from here, but not the service's own access", () => {
  expect(explain(new errors.StorageAccessError("no bucket"))).toContain("or DAG_STORAGE");
  expect(explain(new StorageSpecificationError("neither of the two"))).toContain("or DAG_STORAGE");
  expect(explain(new errors.StorageAccessError("no bucket", { requestId: "r3" }))).not.toContain("DAG_STORAGE");
});

test("explain: everything else by its message", () => {
  expect(explain(new Error("what happened"))).toBe("what happened");
  expect(explain("what happened")).toBe("what happened");
});
