/** Describes errors to the user: which error, what happened, and what to change. */
import { ApiError, errors, printableText } from "../../contract";
import { seeErrorPage } from "../../contract/error-page";
import { CallTimeoutError, ConnectionError, MalformedAnswerError, TlsError, UnexpectedAnswerError } from "../client";
import { StorageSpecificationError } from "../../storage";
import { keyName, settingOf, type ConfigurationName } from "./configuration";

/**
 * Returns the message of an error. Errors of the service also get their code and request identifier. Errors that the
 * configuration may cause also get the keys and environment variables to check. With DAG_DOCS, an error of the service
 * ends with the address of its page. Control characters are shown as escapes.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return printableText(String(error));
  const remedy = remedyOf(error);
  const page = error instanceof ApiError ? seeErrorPage(error.code) : "";
  return `${printableText(messageOf(error))}${remedy === undefined ? "" : `\nCheck ${remedy}.`}${page}`;
}

function messageOf(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  const request =
    error.requestId === undefined
      ? ""
      : ` (${[error.operation ?? [], `request ${error.requestId}`].flat().join(", ")})`;
  return `${error.code}: ${error.message}${request}`;
}

function remedyOf(error: Error): string | undefined {
  // The endpoint is set, and may be right: a command with that of the example would change it.
  if (endpointErrors.some((kind) => error instanceof kind)) {
    return `that the service runs, and ${keyName("endpoint")}`;
  }
  const settings = relatedSettings(error);
  return settings.length === 0 ? undefined : settings.map(settingOf).join(" and ");
}

/** Returns the configuration keys, other than the endpoint, that may cause the error. */
function relatedSettings(error: Error): readonly ConfigurationName[] {
  if (error instanceof errors.InvalidAccessKeyId) return ["accessKeyId"];
  if (error instanceof errors.SignatureDoesNotMatch) return ["secretAccessKey", "accessKeyId"];
  if (error instanceof errors.AccessDenied) return ["accessKeyId", "secretAccessKey", "signatureScheme"];
  if (error instanceof StorageSpecificationError) return ["storage"];
  // With a request identifier, the service itself failed to access the storage, so dag:storage is not the cause.
  if (error instanceof errors.StorageAccessError) return error.requestId === undefined ? ["storage"] : [];
  return [];
}

const endpointErrors = [ConnectionError, CallTimeoutError, TlsError, UnexpectedAnswerError, MalformedAnswerError];
