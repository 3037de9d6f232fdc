/** The release itself, in a clean clone: the same commands that the release's workflow calls, one check each. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, withPath } from "../../setup/layout.mjs";
import { run, tail } from "../../setup/process.mjs";
import { must } from "../step.mjs";
import { expect } from "./checks.mjs";

/** @typedef {import("./registries.mjs").Registries} Registries */
/** @typedef {import("./checks.mjs").Checks} Checks */

/** The publications in their order, each with the fault that `--fail-at` injects. */
export const publications = /** @type {const} */ (["npm", "pypi", "git", "archives", "maven"]);

/**
 * A clean clone of the repository with the settings of a publisher.
 *
 * @param {string} folder of the rehearsal
 * @param {Registries} registries
 */
export async function makeClone(folder, registries) {
  const clone = join(folder, "clone");
  await must("git", ["clone", "--quiet", "--no-hardlinks", root, clone]);
  await must("git", ["checkout", "--quiet", "-B", "main"], { cwd: clone });
  await must("git", ["remote", "set-url", "origin", registries.git.folder], { cwd: clone });
  await must("git", ["push", "--quiet", "origin", "main"], { cwd: clone });
  const npmrc = join(folder, "publisher.npmrc");
  const { host } = new URL(registries.npm.url);
  writeFileSync(npmrc, `registry=${registries.npm.url}/\n//${host}/:_authToken=${registries.npm.token}\n`);
  const env = withPath([registries.pypi.programs], {
    ...process.env,
    GIT_AUTHOR_NAME: "rehearsal",
    GIT_AUTHOR_EMAIL: "rehearsal@pulumi-dag.invalid",
    GIT_COMMITTER_NAME: "rehearsal",
    GIT_COMMITTER_EMAIL: "rehearsal@pulumi-dag.invalid",
  });
  // Only the publications know the registries; the build has the developer's own settings.
  const publisher = {
    ...env,
    npm_config_userconfig: npmrc,
    PIP_INDEX_URL: `${registries.pypi.url}/simple/`,
    TWINE_REPOSITORY_URL: registries.pypi.url,
    TWINE_USERNAME: "releaser",
    TWINE_PASSWORD: "releaser",
    GITHUB_API_URL: registries.archives.url,
    GITHUB_REPOSITORY: "pulumi-dag/pulumi-dag",
    GITHUB_TOKEN: "token-of-the-rehearsal",
    ...registries.maven.env,
  };
  const step = (/** @type {string} */ name, /** @type {string[]} */ args, known = false) =>
    run(process.execPath, [join(clone, "tools/release", name), ...args], { cwd: clone, env: known ? publisher : env });
  return { folder: clone, out: join(folder, "release"), env, step };
}

/** @typedef {Awaited<ReturnType<typeof makeClone>>} Clone */

/**
 * Notes → version → changelog → build → pack → sign-off.
 *
 * @param {Clone} clone
 * @param {Checks} checks
 * @returns {Promise<string | undefined>} the version; undefined when the release cannot be made
 */
export async function build(clone, checks) {
  const { folder, out, env, step } = clone;
  let version = "";
  const next = async (/** @type {string} */ expected) => {
    const { output } = await step("next-step.mjs", []);
    expect(output.includes(`next=${expected}`), output);
  };
  const setUp = () => must(process.execPath, ["scripts/setup.mjs", "--packages-only"], { cwd: folder, env });
  mkdirSync(join(out, "archives"), { recursive: true });
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  process.env["RELEASE_PLATFORMS"] = platform;
  env["RELEASE_PLATFORMS"] = platform;
  /** @type {[string, () => Promise<unknown>][]} */
  const steps = [
    ["clean clone: packages are installed and built", setUp],
    ["next-step.mjs: proposes a release while there are notes", () => next("propose")],
    [
      "version.mjs: sets the version and writes the changelog from the notes",
      async () => {
        succeed(await step("version.mjs", []));
        version = String(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version);
        expect(
          readFileSync(join(folder, "CHANGELOG.md"), "utf8").includes(`## ${version}`),
          "no entry in CHANGELOG.md",
        );
        await must("git", ["add", "--all"], { cwd: folder });
        await must("git", ["commit", "--quiet", "--message", `Release ${version}`], { cwd: folder, env });
        await must("git", ["push", "--quiet", "origin", "main"], { cwd: folder });
      },
    ],
    ["next-step.mjs: publishes a version that has no tag", () => next("publish")],
    ["set-up: builds the released version", setUp],
    ["pack-npm.mjs: packs the npm packages, with an SBOM each", async () => succeed(await step("pack-npm.mjs", [out]))],
    [
      "archive.mjs: packs the plugin for this platform",
      async () => succeed(await step("archive.mjs", [join(out, "archives")])),
    ],
    ["pack-sdks.mjs: generates, compiles and packs the SDKs", async () => succeed(await step("pack-sdks.mjs", [out]))],
    [
      "pack-java.mjs: generates, compiles and packs the SDK for Java",
      async () => succeed(await step("pack-java.mjs", [out])),
    ],
    [
      "publish-npm.mjs: refuses what is not signed off",
      async () => expect((await step("publish-npm.mjs", [out], true)).output.includes("sign-off.mjs"), "it did not"),
    ],
    [
      "sign-off.mjs: the release is complete, of one version, its names are ours",
      async () => succeed(await step("sign-off.mjs", [out])),
    ],
  ];
  for (const [name, action] of steps) {
    if (!(await checks.check(name, async () => void (await action())))) return undefined;
  }
  return version;
}

/**
 * Publishes everything, twice, and with a fault before the first at the step that is named.
 *
 * @param {Clone} clone
 * @param {Registries} registries
 * @param {Checks} checks
 * @param {readonly string[]} failAt
 */
export async function publish(clone, registries, checks, failAt) {
  for (const name of publications) {
    const command = `publish-${name}.mjs`;
    const call = () => clone.step(command, [clone.out], true);
    if (failAt.includes(name)) {
      await checks.check(`${command}: stops half-way when the registry refuses, and says so`, async () => {
        if (name === "git") registries.git.refuse("refs/tags/v");
        else registries[name].refuse(name === "maven" ? 0 : 1);
        const { code, output } = await call();
        registries.git.accept();
        expect(code !== 0, `it ended with ${code} in spite of the fault:\n${tail(output)}`);
        expect(!/^\s+at .*\(/m.test(output), `it printed a stack:\n${tail(output)}`);
      });
    }
    const repeated = failAt.includes(name) ? "publishes the rest after the fault" : "publishes";
    await checks.check(`${command}: ${repeated}`, async () => succeed(await call()));
    await checks.check(`${command}: a second run changes nothing`, async () => {
      const { code, output } = await call();
      expect(code === 0 && !/: (published|pushed|uploaded)$/m.test(output), tail(output));
    });
  }
}

/** @param {import("../../setup/process.mjs").ExitResult} ended */
function succeed({ code, output }) {
  expect(code === 0, tail(output, 25));
}
