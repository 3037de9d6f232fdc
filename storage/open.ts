/** Opens the storage of a configuration value (`dag:storage`, `DAG_STORAGE`). */
import { statSync } from "node:fs";
import { FileStorage } from "./file";
import { S3Storage, type S3StorageOptions } from "./s3";
import type { Storage } from "./storage";

/** A storage setting is invalid. The message names the problem and the expected form. */
export class StorageSpecificationError extends Error {
  override readonly name = "StorageSpecificationError";
  readonly code = "InvalidStorageSpecification";
}

/**
 * Opens a storage.
 * @param specification
 * - `file:<directory>`: a local directory that contains the buckets, such as `file:./.dag/buckets`;
 * - `s3:<endpoint>[?region=<region>]`: an S3-compatible server, such as `s3:http://127.0.0.1:7070`;
 * - `s3:[?region=<region>]`: Amazon S3.
 *
 * S3 credentials come from the AWS SDK's default credential chain (`AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a
 * profile, a role).
 * @throws {StorageSpecificationError}
 */
export function openStorage(specification: string): Storage {
  const s3 = s3OptionsOf(specification);
  if (s3) return new S3Storage(s3);
  const [, directory] = /^file:(.*)$/s.exec(specification.trim()) ?? [];
  if (directory !== undefined) return new FileStorage(requireDirectory(directory, specification));
  throw new StorageSpecificationError(`${expectedForms}, not "${specification.trim().split(":", 1)[0]}"`);
}

// Messages do not quote URLs, which may contain a password.
const expectedForms =
  "storage must be file:<directory>, or s3:<endpoint>?region=<region> (s3: without an endpoint is Amazon S3)";

function requireDirectory(directory: string, specification: string): string {
  if (directory === "" || directory.startsWith("//")) {
    throw new StorageSpecificationError(
      `storage "${specification}" must be file:<directory>, with a plain path such as file:./.dag/buckets`,
    );
  }
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StorageSpecificationError(
      `storage "${specification}": the directory ${directory} does not exist; create it, or set another one`,
    );
  }
  return directory;
}

/** Returns the endpoint and region of an `s3:…` specification; undefined for any other. @throws {StorageSpecificationError} */
export function s3OptionsOf(specification: string): S3StorageOptions | undefined {
  const [, rest] = /^s3:(.*)$/s.exec(specification.trim()) ?? [];
  if (rest === undefined) return undefined;
  const [base = "", query = "", ...more] = rest.split("?");
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].filter((name) => name !== "region");
  // The value of an unknown parameter may be a secret, so the message contains only its name.
  if (more.length > 0 || unknown.length > 0) {
    const rejected = unknown.length > 0 ? `, not ${unknown.join(", ")}` : "";
    throw new StorageSpecificationError(
      `storage "s3:…" accepts only the parameter region${rejected}; set credentials with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role`,
    );
  }
  return {
    endpoint: base === "" ? undefined : s3Endpoint(base),
    region: parameters.get("region") ?? undefined,
  };
}

function s3Endpoint(base: string): string {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url && (url.username !== "" || url.password !== "")) {
    throw new StorageSpecificationError(
      'storage "s3:…" must not contain a user name or password; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  }
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new StorageSpecificationError(
      `storage "s3:…" must name an http or https endpoint, such as s3:https://s3.example.com?region=eu-west-1`,
    );
  }
  return base;
}
