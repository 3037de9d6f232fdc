/** Finds the Pulumi CLI, and the environment in which it finds its plugins. */
import { existsSync, readdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** The repository. */
export const root = join(__dirname, "../../../");

/** Encrypts the secrets of every stack. */
export const passphrase = "test";

/** Environment of a CLI that keeps its state in a folder and finds its plugins. */
export function pulumiEnvironment(directory: string): Record<string, string> {
  const sdk = join(root, "node_modules/@pulumi/pulumi");
  return {
    PULUMI_BACKEND_URL: `file://${join(directory, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: passphrase,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_HOME: join(directory, "home"),
    // A command ends before its garbage is worth collecting, which takes a sixth of the CLI's CPU time.
    GOGC: "off",
    GOMEMLIMIT: "1GiB",
    // Pulumi's SDK, too, is loaded from Node's compile cache: each command starts at least one provider process.
    NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"),
    NODE_OPTIONS: `--require "${join(root, "test/e2e/provider/lazy-modules.cjs")}"`,
    PATH: [dirname(process.execPath), join(pulumiRoot(), "bin"), sdk, process.env["PATH"] ?? ""].join(delimiter),
  };
}

/** The folder that holds `bin/pulumi`: beside the CLI on PATH, or the newest that was set up. */
export function pulumiRoot(): string {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).find((folder) => existsSync(join(folder, "pulumi")));
  if (onPath !== undefined) return dirname(onPath);
  const versions = join(homedir(), ".pulumi/versions");
  const found = existsSync(versions) ? readdirSync(versions).filter((name) => /^\d/.test(name)) : [];
  const newest = found.toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true })).at(-1);
  if (newest === undefined) throw new Error("there is no Pulumi CLI: run npm run quickstart, or scripts/setup.mjs");
  return join(versions, newest);
}
