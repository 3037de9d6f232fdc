/**
 * `official-installer.mjs FOLDER`: installs the Pulumi CLI of the SDK's version with the Automation API. It is a process
 * of its own, because set-up has no dependencies and limits the time of the installation.
 */
import { PulumiCommand } from "@pulumi/pulumi/automation/index.js";

const [root = ""] = process.argv.slice(2);
try {
  // Fails early: the installer would wait two minutes for an unreachable host.
  await fetch("https://get.pulumi.com/", { method: "HEAD", signal: AbortSignal.timeout(10_000) });
  await PulumiCommand.install({ root });
} catch (error) {
  const { message, cause } = /** @type {Error} */ (error);
  console.error(cause instanceof Error ? `${message}: ${cause.message}` : message);
  process.exitCode = 1;
}
