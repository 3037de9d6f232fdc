/**
 * Sets up the repository on a machine that has Node.js 20 or later and npm, then runs a command in it:
 *
 *     node scripts/setup.mjs [--packages-only] [-- command args…]
 *
 * Installs what is missing, in this order: the npm packages of the lock file, Node.js 24, the build, and the Pulumi CLI
 * (not with `--packages-only`). The command has all of them on PATH; set-up forwards signals to it and returns its exit
 * code. Several set-ups may run at once, and the next set-up repairs an interrupted one.
 */
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { runCommand } from "../tools/setup/command.mjs";
import { packagePrograms, root } from "../tools/setup/layout.mjs";
import { ensureNode } from "../tools/setup/node.mjs";
import { ensurePackages } from "../tools/setup/packages.mjs";
import { endWithNpm } from "../tools/setup/parents.mjs";
import { run, tail } from "../tools/setup/process.mjs";
import { SetupError, step } from "../tools/setup/progress.mjs";
import { ensurePulumi } from "../tools/setup/pulumi-cli.mjs";
import { isBuilt, sourcesHash } from "../tools/setup/build-stamp.mjs";

if (process.env["npm_lifecycle_event"]) endWithNpm();
try {
  const { packagesOnly, command } = readArguments(process.argv.slice(2));
  await ensurePackages();
  const node = await ensureNode();
  await ensureBuild(node);
  const folders = [packagePrograms, dirname(node)];
  if (!packagesOnly) folders.push(await ensurePulumi(node));
  if (command.length > 0) process.exitCode = await runCommand(command, folders);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`\nSet-up failed: ${error.message}`);
  process.exitCode = 1;
}

/** @param {string[]} args */
function readArguments(args) {
  const at = args.indexOf("--");
  const own = at < 0 ? args : args.slice(0, at);
  try {
    const { values } = parseArgs({
      args: own,
      options: { "packages-only": { type: "boolean", default: false } },
    });
    return { packagesOnly: values["packages-only"], command: at < 0 ? [] : args.slice(at + 1) };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new SetupError(`${message}\nUsage: node scripts/setup.mjs [--packages-only] [-- command args…]`);
  }
}

/** @param {string} node */
async function ensureBuild(node) {
  if (isBuilt(sourcesHash())) return;
  await step("building the packages (the sources have changed since the last build)", async () => {
    const { code, output } = await run(node, [join(root, "scripts", "build.mjs"), "--if-changed"], {
      cwd: root,
    });
    if (code !== 0) throw new SetupError(`the build failed with these errors:\n\n${tail(output, 40)}`);
  });
}
