import { expect, test } from "vitest";
import { HiveServerError } from "../../../../../service/engines/hiveserver2/client/errors";
import { accessError, isAccessProblem } from "../../../../../service/engines/hiveserver2/storage/access";

/** Messages that Hive 4.0.1 and Spark 4.3.0 have given, without S3A, without a key and with a wrong one. */
test.each([
  'Error running query: org.apache.hadoop.fs.UnsupportedFileSystemException: No FileSystem for scheme "s3"',
  "Error creating s3a://out/tmp/1/1-b57854f29602/_attempt-b581622031db",
  "MetaException(message:Got exception: java.nio.file.AccessDeniedException s3a://data/t: org.apache.hadoop.fs.s3a.auth.NoAuthWithAWSException: No AWS Credentials provided)",
  "s3a://data/t: getFileStatus on s3a://data/t: software.amazon.awssdk.services.s3.model.S3Exception: Forbidden (Service: S3, Status Code: 403)",
])("isAccessProblem: %s", (message) => {
  expect(isAccessProblem(new HiveServerError(message, undefined))).toBe(true);
});

test.each([
  "A column, variable, or function parameter with name `nosuch` cannot be resolved",
  "[Error 10004]:Invalid table alias or column reference 's3a'",
  "assertion failed: access denied",
])("isAccessProblem: not %s", (message) => {
  expect(isAccessProblem(new HiveServerError(message, undefined))).toBe(false);
});

test("accessError: names the server, its reason and the remedy", () => {
  expect(accessError("Hive", "Error creating dag://out/r")).toMatchObject({
    code: "StorageAccessError",
    message: expect.stringMatching(/^the Hive server cannot use the storage: Error creating .*: give the server /),
  });
});
