/** What users do with a release: install it, start the service, deploy stacks in their languages. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root, withPath } from "../../setup/layout.mjs";
import { plugin, pythonVersion, sdks } from "../packages.mjs";
import { must } from "../step.mjs";
import { expect } from "./checks.mjs";
import { deployTwice } from "./deploy.mjs";
import { generatedJava, publishedJava } from "./java-user.mjs";
import { ensureLanguageHost } from "./language-host.mjs";
import { pageProgram, pythonMocks } from "./page-programs.mjs";
import { go, javascript, projectFile, python, yaml } from "./programs.mjs";
import { startPulumiRegistry } from "./pulumi-registry.mjs";
import { makeGoProxy } from "./user.mjs";

/** @typedef {import("./user.mjs").User} User */
/** @typedef {import("./checks.mjs").Checks} Checks */

const pnpm = "pnpm@10";
const tsconfig = {
  compilerOptions: {
    strict: true,
    target: "es2022",
    module: "nodenext",
    types: ["node"],
    skipLibCheck: true,
    noEmit: true,
  },
};

/**
 * Deploys stacks in every language whose toolchain is here.
 *
 * @param {object} given
 * @param {User} given.user
 * @param {NodeJS.ProcessEnv} given.env with the service
 * @param {string} given.version
 * @param {string} given.folder of the rehearsal
 * @param {import("./registries.mjs").Registries} given.registries
 * @param {Checks} checks
 */
export async function useRelease({ user, env, version, folder, registries }, checks) {
  for (const [name, type, manager] of /** @type {const} */ ([
    ["npm-commonjs", "commonjs", "npm"],
    ["npm-esm", "module", "npm"],
    ["pnpm-esm", "module", "pnpm"],
  ]))
    await checks.check(`TypeScript, ${manager}, ${type}: install, compile, up, up again, destroy`, () =>
      typescript(user, env, `pulumi-dag@${version}`, { name, type, manager }),
    );
  await checks.check("pulumi plugin install: takes the plugin from the archive server", async () => {
    const server = ["--server", registries.archives.url];
    await must("pulumi", ["plugin", "install", "resource", plugin, `v${version}`, ...server], { cwd: user.home, env });
    const installed = join(user.home, ".pulumi/plugins", `resource-${plugin}-v${version}`);
    expect(existsSync(installed), `${installed} is missing`);
  });
  await checks.check("pulumi package get-schema: the installed plugin answers", async () => {
    const text = await must("pulumi", ["package", "get-schema", `${plugin}@${version}`], { cwd: user.home, env });
    const { version: own } = JSON.parse(text.slice(text.indexOf("{")));
    expect(own === version, `the plugin's schema has the version ${own}`);
  });
  await checks.check("pulumi package publish: sends the plugin's schema and the pages of Pulumi's registry", () =>
    publishToPulumi(user, env, version),
  );
  await checks.check("YAML, by Pulumi's language host: up, up again, destroy", async () => {
    const withHost = withPath([await ensureLanguageHost("yaml", env, folder)], env);
    await deployTwice(user.project("yaml", { "Pulumi.yaml": yaml }), withHost);
    const page = `name: page\nruntime: yaml\n${pageProgram("yaml")}`;
    await deployTwice(user.project("page", { "Pulumi.yaml": page }), withHost, { rows: '[["NY","1"]]', unchanged: 2 });
  });
  await checks.check("Python: pip install, up, up again, destroy", async () => {
    const project = user.project("python", {
      "main.py": python,
      "page.py": pageProgram("python"),
      "mocks.py": pythonMocks,
    });
    await must("python3", ["-m", "venv", "venv"], { cwd: project, env });
    const own = join(project, "venv/bin/python3");
    await must(own, ["-m", "pip", "install", "--quiet", `${sdks.python.name}==${pythonVersion(version)}`], {
      cwd: project,
      env,
    });
    deployed(await must(own, ["main.py"], { cwd: project, env }));
    const shown = await must(own, ["mocks.py"], { cwd: project, env });
    expect(shown.includes("[['TX', '2']]"), `the program of docs/_index.md prints:\n${shown}`);
  });
  await checks.check("Go: a module proxy reads the tags; go get, build, up, up again, destroy", async () => {
    const goEnv = { ...env, ...(await makeGoProxy(folder, registries.git.folder, version)) };
    const project = user.project("go", { "main.go": go, "go.mod": "module user\n" });
    await must("go", ["get", `${sdks.go.module}@v${version}`], { cwd: project, env: goEnv });
    await must("go", ["build", "-o", "program", "."], { cwd: project, env: goEnv });
    await must("go", ["vet", user.project("go/page", { "main.go": pageProgram("go") })], { cwd: project, env: goEnv });
    deployed(await must(join(project, "program"), [], { cwd: project, env: goEnv }));
  });
  const given = { user, env, version, folder };
  await checks.check("Java, from a Maven repository: up, up again, destroy", () =>
    publishedJava(given, registries.maven.repository),
  );
  await checks.check("Java, pulumi package add: generates an SDK from the installed plugin, which compiles", () =>
    generatedJava(given),
  );
  leaveOut(env, checks);
}

/**
 * Publishes the installed plugin to a registry of Pulumi on this machine.
 *
 * @param {User} user
 * @param {NodeJS.ProcessEnv} env
 * @param {string} version
 */
async function publishToPulumi(user, env, version) {
  const registry = await startPulumiRegistry();
  try {
    const installed = join(user.home, ".pulumi/plugins", `resource-${plugin}-v${version}`, `pulumi-resource-${plugin}`);
    const pages = {
      "--readme": join(root, "docs/_index.md"),
      "--installation-configuration": join(root, "docs/installation-configuration.md"),
    };
    await must("pulumi", ["package", "publish", installed, ...Object.entries(pages).flat()], {
      cwd: user.home,
      env: { ...env, PULUMI_BACKEND_URL: registry.url, PULUMI_ACCESS_TOKEN: "rehearsal" },
    });
    const [made] = registry.published();
    expect(made?.path === `private/pulumi-dag/${plugin}@${version}`, `it published ${made?.path}`);
    const files = Object.keys(made?.files ?? {}).toSorted();
    expect(files.join() === "index,installation-configuration,schema", `it sent ${files.join()}`);
    expect(JSON.parse(made?.files["schema"] ?? "{}").version === version, "the schema has another version");
  } finally {
    registry.close();
  }
}

/**
 * A stack of a TypeScript program, from the installation to the end.
 *
 * @param {User} user
 * @param {NodeJS.ProcessEnv} env with the service
 * @param {string} spec of pulumi-dag, as the package manager takes it
 * @param {{ name: string, type: "commonjs" | "module", manager: "npm" | "pnpm" }} project
 */
export async function typescript(user, env, spec, { name, type, manager }) {
  const project = user.project(name, {
    "package.json": JSON.stringify({ name, private: true, type, main: "index.ts" }),
    "tsconfig.json": JSON.stringify(tsconfig),
    "Pulumi.yaml": projectFile(name),
    "page.ts": pageProgram("typescript"),
    "index.ts": javascript(name, type === "module" ? "import" : "require"),
  });
  const packages = [spec, "@pulumi/pulumi@^3.250.0", "typescript@~5.9.0", "@types/node@24"];
  const install = manager === "npm" ? ["npm", "install", "--no-audit", "--no-fund"] : ["npx", "--yes", pnpm, "add"];
  const [program = "", ...args] = install;
  await must(program, [...args, ...packages], { cwd: project, env });
  await must(join(project, "node_modules/.bin/tsc"), ["-p", "."], { cwd: project, env });
  await deployTwice(project, env);
}

/** @param {string} output of a Python or Go program: its last line is JSON */
function deployed(output) {
  const { rows, second } = JSON.parse(String(output.trim().split("\n").at(-1)));
  expect(JSON.stringify(rows) === '[["7"]]', `the output rows is ${JSON.stringify(rows)}`);
  expect(JSON.stringify(Object.keys(second)) === '["same"]', `the second up changes ${JSON.stringify(second)}`);
}

/**
 * Names what needs a program that this machine has not, or that no step makes yet.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {Checks} checks
 */
function leaveOut(env, checks) {
  const hasDotnet = String(env["PATH"])
    .split(delimiter)
    .some((each) => existsSync(join(each, "dotnet")));
  checks.leave(".NET: SDK, a stack", hasDotnet ? "no step of the rehearsal does it yet" : "there is no dotnet on PATH");
  checks.leave(
    "pulumi package add in a Node.js project",
    "the Node.js host of set-up generates none; Pulumi's own does",
  );
  checks.leave(
    "Windows, macOS, Linux arm64 and Alpine",
    `this machine is ${process.platform} ${process.arch}; the workflow runs them`,
  );
  checks.leave("propose.mjs: opens the pull request of a release", "it needs GitHub");
  checks.leave("provenance, attestation and trusted publishing", "they need the identity of a workflow");
}
