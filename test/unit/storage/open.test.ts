import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { FileStorage, openStorage, S3Storage, StorageSpecificationError } from "../../../storage";

const directory = mkdtempSync(join(tmpdir(), "dag-open-"));
writeFileSync(join(directory, "file"), "");
afterAll(() => rmSync(directory, { recursive: true }));

describe("openStorage", () => {
  it("file: a directory", () => {
    const storage = openStorage(`file:${directory}`);
    expect(storage).toBeInstanceOf(FileStorage);
    expect(storage.description).toBe(`file:${directory}`);
    expect(openStorage(" file:. ").description).toBe(`file:${process.cwd()}`);
  });

  it.each([
    ["s3:", "s3:"],
    ["s3:?region=eu-west-1", "s3:"],
    ["s3:http://127.0.0.1:7070", "s3:http://127.0.0.1:7070"],
    ["s3:https://s3.example.com?region=eu-west-1", "s3:https://s3.example.com"],
  ])("%s", (specification, description) => {
    const storage = openStorage(specification);
    expect(storage).toBeInstanceOf(S3Storage);
    expect(storage.description).toBe(description);
  });

  it.each([
    ["", /^storage must be file:<directory>, or s3:/],
    ["/data", /^storage must be file:/],
    ["gs://bucket", /, not "gs"/],
    ["https://AK:very-secret@host", /, not "https"/],
    ["file:", /must be file:<directory>, with a plain path/],
    ["file:///data", /must be file:<directory>, with a plain path/],
    [`file:${directory}/missing`, /the directory .*missing does not exist; create it, or set another one/],
    [`file:${directory}/file`, /the directory .*file does not exist/],
    ["s3://bucket", /must name an http or https endpoint/],
    ["s3:ftp://host", /must name an http or https endpoint/],
    ["s3://AK:very-secret@host", /must name an http or https endpoint/],
    ["s3:https://AK:very-secret@host", /must not contain a user name or password; set AWS_ACCESS_KEY_ID/],
    [
      "s3:https://host?secretAccessKey=very-secret",
      /accepts only the parameter region, not secretAccessKey; set credentials with AWS_ACCESS_KEY_ID/,
    ],
    ["s3:https://host?region=a?b", /accepts only the parameter region;/],
  ])("%s is rejected, without showing a secret", (specification, message) => {
    expect(() => openStorage(specification)).toThrow(StorageSpecificationError);
    expect(() => openStorage(specification)).toThrow(message);
    expect(() => openStorage(specification)).not.toThrow(/very-secret/);
  });
});
