/**
 * `workflows.mjs` checks the workflows and dependabot.yml with actionlint, which Go builds from its module, and zizmor, which pip installs in
 * a folder of its own. Both versions are pinned; neither asks a server about the actions.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../setup/layout.mjs";
import { run } from "../setup/process.mjs";

const actionlint = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
const zizmor = "zizmor==1.32.0";
const folder = join(root, ".github/workflows");

const files = readdirSync(folder).map((name) => join(folder, name));
const work = mkdtempSync(join(tmpdir(), "pulumi-dag-workflows-"));
try {
  const programs = join(work, "venv", process.platform === "win32" ? "Scripts" : "bin");
  await check("go", ["run", actionlint, ...files]);
  await check("python3", ["-m", "venv", join(work, "venv")]);
  await check(join(programs, "python"), ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", zizmor]);
  await check(join(programs, "zizmor"), ["--offline", "--no-progress", "--persona=pedantic", join(root, ".github")]);
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * @param {string} program
 * @param {string[]} args
 */
async function check(program, args) {
  const env = { ...process.env, GOFLAGS: "-mod=mod", GOWORK: "off" };
  const { code, output } = await run(program, args, { cwd: root, env });
  if (code === 0) return;
  console.error(`${program} ${args.join(" ")} failed with exit code ${code}:\n${output}`);
  process.exitCode = 1;
}
