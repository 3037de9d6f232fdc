/** The variables that the steps of a request share. */
import type { HttpBindings } from "@hono/node-server";
import type { OperationName } from "../../contract";
import type { Caller } from "../core/service-context";
import type { Route } from "./route";

/** Hono's environment: Node's request and response, and the variables that the steps set. */
export interface Env {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** Error code of the response, for log and metrics; empty for a success. */
    code: string;
    /** Size of the answer, for {@link SlowReaders}; estimated for large ones, undefined for small ones. */
    answerSize: number | undefined;
    /** Set by authentication. */
    caller: Pick<Caller, "accessKeyId"> | undefined;
    /** Set by routing. */
    route: Route | undefined;
    /** Set once routing has read the body. */
    body: Uint8Array;
  };
}

/** Returns the operation of a request; undefined before routing. */
export const operationOf = (variables: { get(key: "route"): Route | undefined }): OperationName | undefined =>
  variables.get("route")?.operation;
