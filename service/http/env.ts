/** The variables that the steps of a request share, for requests that Hono answers. */
import type { HttpBindings } from "@hono/node-server";
import type { Caller } from "../core/service-context";

/** Hono's environment: Node's request and response, and the variables that the steps set. */
export interface Env {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** Error code of the response, for log and metrics; empty for a success. */
    code: string;
    /** Set by authentication. */
    caller: Pick<Caller, "accessKeyId"> | undefined;
  };
}
