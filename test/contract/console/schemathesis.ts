/** Finds schemathesis, or installs it into a folder of its own. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const version = "4.32.5";
const root = join(__dirname, "../../..");
const folder = join(root, "node_modules/.cache", `schemathesis-${version}`);

/** The program, or why there is none. */
export type Found = { readonly program: string } | { readonly reason: string };

/** Returns the program of `SCHEMATHESIS`, of PATH, or one that pip installs; without Python or an index, the reason. */
export function findSchemathesis(): Found {
  const named = process.env["SCHEMATHESIS"];
  if (named) return { program: named };
  if (succeeds("schemathesis", ["--version"])) return { program: "schemathesis" };
  const program = join(folder, "bin/schemathesis");
  if (existsSync(program) && succeeds(program, ["--version"])) return { program };
  rmSync(folder, { recursive: true, force: true });
  if (!succeeds("python3", ["-m", "venv", folder])) return { reason: "python3 with venv is not installed" };
  const pip = spawnSync(join(folder, "bin/pip"), ["install", "--quiet", `schemathesis==${version}`], {
    encoding: "utf8",
    timeout: 180_000,
  });
  if (pip.status === 0) return { program };
  rmSync(folder, { recursive: true, force: true });
  return { reason: `pip could not install schemathesis ${version}: ${pip.stderr.trim().split("\n").at(-1) ?? ""}` };
}

/** Runs schemathesis; resolves with its exit code and output. */
export function runSchemathesis(
  program: string,
  args: readonly string[],
  environment: Record<string, string>,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = {
    ...process.env,
    ...environment,
    PYTHONPATH: __dirname,
    PYTHONDONTWRITEBYTECODE: "1",
    SCHEMATHESIS_HOOKS: "signature",
  };
  // It leaves its database in the working directory.
  const cwd = mkdtempSync(join(tmpdir(), "schemathesis-"));
  const child = spawn(program, ["run", join(root, "openapi.json"), "--no-color", ...args], { env, cwd });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      rmSync(cwd, { recursive: true, force: true });
      resolve({ code, output });
    });
  });
}

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore", timeout: 60_000 }).status === 0;
}
