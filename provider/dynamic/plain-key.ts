/** Warns of a secret key that the stack's configuration has in plain text. */
import * as pulumi from "@pulumi/pulumi";
import { configurationKeys } from "../lifecycles/configuration";

/** Of each run of a program, the connection to its engine. */
const warned = new WeakSet<object>();

/** The SDK does not publish it. */
type Runtime = typeof pulumi.runtime & { readonly isConfigSecret?: (key: string) => boolean };

/**
 * Warns once a run of each secret key that was set without `--secret`: the engine stores the configuration with dynamic
 * resources as it is.
 */
export function warnOfPlainKeys(): void {
  const runtime: Runtime = pulumi.runtime;
  const run = runtime.getMonitor();
  if (run === undefined || warned.has(run)) return;
  warned.add(run);
  for (const [name, key] of Object.entries(configurationKeys)) {
    const option = `dag:${name}`;
    if (!("secret" in key) || runtime.getConfig(option) === undefined) continue;
    if (runtime.isConfigSecret?.(option) !== false) continue;
    void pulumi.log.warn(
      `${option} is in plain text in the stack's file and state, because it was set without --secret: run ` +
        `"pulumi config set --secret ${option} ${key.example}" and "pulumi up"; where others could read it, with a new key`,
    );
  }
}
