/** What the person at the terminal is told of an error: which, what happened, and what to change. */
import { ApiError, errors } from "../../contract";
import { CallTimeoutError, ConnectionError, MalformedAnswerError, TlsError, UnexpectedAnswerError } from "../client";
import { StorageSpecificationError } from "../../storage";
import { settingOf, type ConfigurationName } from "./configuration";

/**
 * An error's message; of the service's errors with their code and request identifier, and where the configuration is to
 * blame with the keys and environment variables to look at.
 */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const settings = settingsBehind(error);
  const remedy = settings.length === 0 ? "" : `\nCheck ${settings.map(settingOf).join(" and ")}.`;
  return `${named(error)}${remedy}`;
}

function named(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  const request =
    error.requestId === undefined
      ? ""
      : ` (${[error.operation ?? [], `request ${error.requestId}`].flat().join(", ")})`;
  return `${error.code}: ${error.message}${request}`;
}

/** What may have to be set otherwise. */
function settingsBehind(error: Error): readonly ConfigurationName[] {
  if (error instanceof errors.InvalidAccessKeyId) return ["accessKeyId"];
  if (error instanceof errors.SignatureDoesNotMatch) return ["secretAccessKey", "accessKeyId"];
  if (error instanceof errors.AccessDenied) return ["accessKeyId", "secretAccessKey", "signatureScheme"];
  if (error instanceof StorageSpecificationError) return ["storage"];
  // Of the service's own access to storage, it knows a request.
  if (error instanceof errors.StorageAccessError) return error.requestId === undefined ? ["storage"] : [];
  return endpointErrors.some((kind) => error instanceof kind) ? ["endpoint"] : [];
}

const endpointErrors = [ConnectionError, CallTimeoutError, TlsError, UnexpectedAnswerError, MalformedAnswerError];
