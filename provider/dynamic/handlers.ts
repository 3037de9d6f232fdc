/**
 * The module that {@link providerCode} loads: the handlers of the dynamic provider. They run in the process that the
 * engine starts in the program's folder for all dynamic resources of a run.
 */
// oxlint-disable-next-line no-unassigned-import -- it must run before the other modules are loaded
import "../pulumi-engine/compile-cache";
import { whenEngineCancels } from "../pulumi-engine/cancellation";
import { whenEngineEnds } from "../pulumi-engine/end-of-run";
import { whenEngineIsGone } from "../pulumi-engine/engine-liveness";
import { createProvider } from "./dynamic-provider";

const engineAddress = process.argv[2];
const interruption = new AbortController();
const { provider, printReport } = createProvider({
  environment: process.env,
  engineAddress,
  signal: interruption.signal,
});

// Exported one by one, because the module itself is the provider object.
export const { configure, check, diff, create, read, update, delete: _delete } = provider;
export { _delete as delete };

whenEngineEnds(printReport);
whenEngineCancels(() => interruption.abort(new Error("the operation was interrupted")));
// Submitted queries continue in the service, and the next run finds them. This process cannot report them any more.
whenEngineIsGone(engineAddress, () => process.exit(1));
