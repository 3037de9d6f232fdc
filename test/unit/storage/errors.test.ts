import { expect, test } from "vitest";
import { errors } from "../../../contract";
import { asAccessError } from "../../../storage/errors";

const location = { bucket: "out", key: "logs/engine.log" };
const failure = (code: string) => Object.assign(new Error("write"), { code });

test("asAccessError: a full disk is the service's own problem, and any other error one of the access", () => {
  const full = asAccessError(location, failure("ENOSPC"), () => "never");
  expect(full).toBeInstanceOf(errors.ServiceUnavailable);
  expect(full.message).toBe(
    "dag://out/logs/engine.log was not written: the disk of the service's buckets is full: try again when there is space on it",
  );
  const denied = asAccessError(location, failure("EACCES"), () => "permission denied");
  expect(denied).toBeInstanceOf(errors.StorageAccessError);
  expect(denied.message).toBe("dag://out/logs/engine.log cannot be accessed: permission denied");
});
