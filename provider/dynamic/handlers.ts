/**
 * What {@link providerCode} loads: the dynamic provider, in the process that the engine starts for all dynamic resources
 * of a run, in the program's folder.
 */
import { whenEngineCancels } from "../pulumi-engine/cancellation";
import { whenEngineIsGone } from "../pulumi-engine/presence";
import { createProvider } from "./provider";

const engineAddress = process.argv[2];
const interruption = new AbortController();
const provider = createProvider({ environment: process.env, engineAddress, signal: interruption.signal });

// One by one, since the module itself is the provider.
export const { configure, check, diff, create, read, update, delete: _delete } = provider;
export { _delete as delete };

whenEngineCancels(() => interruption.abort(new Error("the operation was interrupted")));
// What is submitted goes on in the service, and the next run finds it again; nobody is left to tell of it here.
whenEngineIsGone(engineAddress, () => process.exit(1));
