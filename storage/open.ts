/** Opens the store that a configuration value names (design §6: `dag:storage`, `DAG_STORAGE`). */
import { statSync } from "node:fs";
import { FileStorage } from "./file";
import { S3Storage } from "./s3";
import type { Storage } from "./storage";

/** A storage specification cannot be used; the message says what is wrong with it and what it must be. */
export class StorageSpecificationError extends Error {
  override readonly name = "StorageSpecificationError";
  readonly code = "InvalidStorageSpecification";
}

/**
 * Opens a store.
 * @param specification
 * - `file:<directory>`: a local directory that holds the buckets, such as `file:./.dag/buckets`;
 * - `s3:<endpoint>[?region=<region>]`: a server that speaks as S3 does, such as `s3:http://127.0.0.1:7070`;
 * - `s3:[?region=<region>]`: AWS itself.
 *
 * S3 credentials come from the AWS SDK's chain (`AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile, a role).
 * @throws {StorageSpecificationError}
 */
export function openStorage(specification: string): Storage {
  const [, scheme, rest = ""] = /^(file|s3):(.*)$/s.exec(specification.trim()) ?? [];
  if (scheme === "file") return new FileStorage(existingDirectory(rest, specification));
  if (scheme === "s3") return openS3(rest);
  throw new StorageSpecificationError(`${forms}; "${specification.trim().split(":", 1)[0]}" is neither`);
}

// No message repeats what may hold a password that was put into a URL.
const forms = "storage must be file:<directory>, or s3:<endpoint>?region=<region> (s3: alone is AWS)";

function existingDirectory(directory: string, specification: string): string {
  if (directory === "" || directory.startsWith("//")) {
    throw new StorageSpecificationError(
      `storage "${specification}" must be file:<directory>, with a plain path such as file:./.dag/buckets`,
    );
  }
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StorageSpecificationError(
      `storage "${specification}": there is no directory ${directory}; make it, or name another`,
    );
  }
  return directory;
}

function openS3(rest: string): Storage {
  const [base = "", query = "", ...more] = rest.split("?");
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].filter((name) => name !== "region");
  // What follows the unknown parameter's name may be a secret, so only the name is shown.
  if (more.length > 0 || unknown.length > 0) {
    const given = unknown.length > 0 ? `, not ${unknown.join(", ")}` : "";
    throw new StorageSpecificationError(
      `storage "s3:…" may only have the parameter region${given}; credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role`,
    );
  }
  return new S3Storage({
    endpoint: base === "" ? undefined : s3Endpoint(base),
    region: parameters.get("region") ?? undefined,
  });
}

function s3Endpoint(base: string): string {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url && (url.username !== "" || url.password !== "")) {
    throw new StorageSpecificationError(
      'storage "s3:…" must not hold a user name or password; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  }
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new StorageSpecificationError(
      `storage "s3:…" must name an http or https endpoint, such as s3:https://s3.example.com?region=eu-west-1`,
    );
  }
  return base;
}
