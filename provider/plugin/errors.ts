/** Converts errors to gRPC errors. */
import { Metadata, status, type ServiceError } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { printableText } from "../../contract";
import { describeError } from "../lifecycles/describe-error";
import type { ReadValues } from "./resource-state";
import { wrap } from "./struct-values";

/** The resource exists, but it failed or is not finished. The engine stores it and updates it in the next run. */
export class UnfinishedError extends Error {
  override readonly name = "UnfinishedError";
  readonly reasons: readonly string[];
  constructor(
    readonly resource: ReadValues,
    /** Messages for the user: why the resource is not finished. */
    reasons: readonly string[],
    options?: ErrorOptions,
  ) {
    const shown = reasons.map(printableText);
    super(shown.join("\n"), options);
    this.reasons = shown;
  }
}

/** The engine called an operation before the provider was configured, or one that the provider does not support. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  constructor(
    readonly code: status.FAILED_PRECONDITION | status.UNIMPLEMENTED | status.INVALID_ARGUMENT,
    message: string,
  ) {
    super(message);
  }
}

/** Converts an error to a gRPC error. The engine prints its message to the user. */
export function toServiceError(error: unknown): Pick<ServiceError, "code" | "details"> & { metadata?: Metadata } {
  if (error instanceof UnfinishedError) return initFailed(error);
  const details = describeError(error);
  if (error instanceof ProtocolError) return { code: error.code, details };
  return { code: status.UNKNOWN, details };
}

function initFailed({ message, reasons, resource }: UnfinishedError) {
  const detail = new ErrorResourceInitFailed();
  detail.setId(resource.id);
  detail.setProperties(wrap(resource.values, resource.secrets));
  detail.setInputs(wrap(resource.inputs.values, resource.inputs.secrets));
  detail.setReasonsList([...reasons]);
  const any = new Any();
  any.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const answer = new Status();
  answer.setCode(status.UNKNOWN);
  answer.setMessage(message);
  answer.addDetails(any);
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(answer.serializeBinary()));
  return { code: status.UNKNOWN, details: message, metadata };
}
