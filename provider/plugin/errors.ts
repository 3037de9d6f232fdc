/** Turns errors into what gRPC answers; the one place where that is done. */
import { Metadata, status, type ServiceError } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { explain } from "../lifecycles/explanation";
import type { ReadAnswer } from "./properties";
import { wrap } from "./values";

/** The resource exists, but it failed or is not finished: the engine keeps id and properties, and updates it next time. */
export class UnfinishedError extends Error {
  override readonly name = "UnfinishedError";
  constructor(
    readonly resource: ReadAnswer,
    /** Why, for the user. */
    readonly reasons: readonly string[],
    options?: ErrorOptions,
  ) {
    super(reasons.join("\n"), options);
  }
}

/** The operation was called before the provider was configured, or is none of this provider's. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  constructor(
    readonly code: status.FAILED_PRECONDITION | status.UNIMPLEMENTED | status.INVALID_ARGUMENT,
    message: string,
  ) {
    super(message);
  }
}

/** An error as gRPC answers it. The message is for the person at the terminal. */
export function toServiceError(error: unknown): Pick<ServiceError, "code" | "details"> & { metadata?: Metadata } {
  if (error instanceof UnfinishedError) return initFailed(error);
  const details = explain(error);
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
