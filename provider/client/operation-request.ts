/** The argument of the client's methods. */
import type { OperationRequests } from "./types";

/** Arguments of an operation: its path parameters, query parameters and body fields in one object. */
export type OperationRequest<Name extends keyof OperationRequests> = OperationRequests[Name];
