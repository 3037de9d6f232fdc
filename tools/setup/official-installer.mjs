/**
 * `official-installer.mjs FOLDER`: installs the CLI of the SDK's version through the Automation API, as a process of its own
 * so that set-up, which has no dependencies, can bound its time.
 */
import { PulumiCommand } from "@pulumi/pulumi/automation/index.js";

const [root = ""] = process.argv.slice(2);
try {
  // The installer itself would wait for two minutes for a host that never answers.
  await fetch("https://get.pulumi.com/", { method: "HEAD", signal: AbortSignal.timeout(10_000) });
  await PulumiCommand.install({ root });
} catch (error) {
  const { message, cause } = /** @type {Error} */ (error);
  console.error(cause instanceof Error ? `${message}: ${cause.message}` : message);
  process.exitCode = 1;
}
