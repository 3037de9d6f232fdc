/** What the steps of a request's way hand on to each other. */
import type { HttpBindings } from "@hono/node-server";
import type { OperationName } from "../../contract";
import type { Caller } from "../core/service-context";
import type { Route } from "./route";

/** Hono's environment: the sockets below a request, and the variables that its steps set. */
export interface Env {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** Error code of the answer, for log and metrics; empty for a success. */
    code: string;
    /** Set by authentication. */
    caller: Caller | undefined;
    /** Set by routing. */
    route: Route | undefined;
    /** Set once routing has read the body. */
    body: Uint8Array;
  };
}

/** The operation that a request names; undefined before routing. */
export const operationOf = (variables: { get(key: "route"): Route | undefined }): OperationName | undefined =>
  variables.get("route")?.operation;
