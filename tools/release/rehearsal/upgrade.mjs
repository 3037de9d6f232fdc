/**
 * The upgrade from the last release, with data, stacks of both front ends and a running query; and the way back, which the
 * service refuses. Until there is a release on the registries, the first state that could be packed stands for it.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../setup/layout.mjs";
import { run } from "../../setup/process.mjs";
import { must } from "../step.mjs";
import { expect } from "./checks.mjs";
import { byNpx, endedService, startService } from "./service.mjs";
import { lastingStatement, numbersTable, upgradedPrograms } from "./upgrade-programs.mjs";

/** @typedef {import("./user.mjs").User} User */
/** @typedef {import("./checks.mjs").Checks} Checks */
/** @typedef {ReturnType<typeof makeStack>} Stack */
/** @typedef {{ service: string, provider: string, version: string }} Packages specs for npm, of one version */

/** The last release. */
const last = { commit: "936e478e", version: "0.1.0" };

const frontEnds = /** @type {const} */ (["dynamic", "plugin"]);

/**
 * Clones, builds and packs the last release.
 *
 * @param {string} folder a folder that is made
 * @returns {Promise<Packages>}
 */
export async function packLastRelease(folder) {
  await must("git", ["clone", "--quiet", "--no-hardlinks", "--no-checkout", root, folder]);
  const { code } = await run("git", ["checkout", "--quiet", last.commit], { cwd: folder });
  expect(code === 0, `the clone lacks the commit ${last.commit}: fetch the whole history`);
  await must(process.execPath, ["scripts/setup.mjs", "--packages-only"], { cwd: folder });
  await must("npm", ["pack", "--loglevel=error"], { cwd: folder });
  await must("npm", ["pack", "--loglevel=error", "--workspace", "service"], { cwd: folder });
  const file = (/** @type {string} */ name) => join(folder, `${name}-${last.version}.tgz`);
  for (const name of ["dag-service", "pulumi-dag"]) expect(existsSync(file(name)), `${file(name)} is missing`);
  return { service: file("dag-service"), provider: file("pulumi-dag"), version: last.version };
}

/**
 * Upgrades service and stacks from one version to another.
 *
 * @param {User} user a home folder of its own
 * @param {Packages} before
 * @param {Packages} after
 * @param {Checks} checks
 */
export async function upgrade(user, before, after, checks) {
  const data = join(user.home, "data");
  const args = ["--tables", numbersTable];
  // The last release does not notice that npx has ended, so it is started as an installed program.
  const old = user.project("service", { "package.json": "{}" });
  await install(old, before.service, user.env);
  const commands = { before: [join(old, "node_modules/.bin/dag-service")], after: byNpx(after.service) };
  let service = await startService(user, commands.before, data, { args });
  const address = new URL(service.url).host;
  mkdirSync(join(data, "buckets/data/numbers"), { recursive: true });
  writeFileSync(join(data, "buckets/data/numbers/n.csv"), Array.from({ length: 40_000 }, (_, n) => `${n}\n`).join(""));
  /** @type {Record<string, Stack>} */
  const stacks = {};

  for (const name of frontEnds) {
    const deployed = await checks.check(`${before.version}, ${name} front end: install, up`, async () => {
      const stack = (stacks[name] = makeStack(user, name, () => service.env));
      await install(stack.folder, before.provider, user.env);
      await stack.pulumi("stack", "init", "dev");
      await stack.up("created");
    });
    if (!deployed) return void (await service.stop());
  }
  await checks.check(`upgrade to ${after.version}: a query that runs meanwhile is answered once`, async () => {
    const { env, up, output, running } = /** @type {Stack} */ (stacks["dynamic"]);
    env["LASTING"] = lastingStatement;
    let ended = false;
    const end = up("created").then(
      () => undefined,
      (error) => error,
    );
    void end.then(() => (ended = true));
    while (!(await running())) expect(!ended, "the query ended before it was seen to run");
    await service.stop();
    service = await startService(user, commands.after, data, { address, args });
    const failure = await end;
    if (failure) throw failure;
    expect((await output("lasting")) === '[["true"]]', `the output lasting is ${await output("lasting")}`);
  });
  for (const [name, stack] of Object.entries(stacks)) {
    await checks.check(
      `${after.version}, ${name} front end: up and refresh of the old state change nothing`,
      async () => {
        await install(stack.folder, after.provider, user.env);
        await stack.up("unchanged");
        await stack.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
      },
    );
    await checks.check(
      `${after.version}, ${name} front end: changes, then destroys what ${before.version} made`,
      async () => {
        stack.env["CONDITION"] = "WHERE eggs > 0";
        await stack.up("replaced");
        await stack.pulumi("destroy", "--yes", "--skip-preview");
      },
    );
  }
  await checks.check(`downgrade to ${before.version}: refused in words, and the data stays usable`, async () => {
    await service.stop();
    const { code, said } = await endedService(user, commands.before, data, { address, args });
    expect(code !== 0, `it ended with ${code}`);
    expect(/written by a newer dag-service/.test(said), `it does not say so:\n${said}`);
    expect(!/^\s+at .*\(/m.test(said), `it printed a stack:\n${said}`);
    service = await startService(user, commands.after, data, { address, args });
  });
  await service.stop();
}

/**
 * @param {User} user
 * @param {(typeof frontEnds)[number]} name
 * @param {() => NodeJS.ProcessEnv} serviceEnv
 */
function makeStack(user, name, serviceEnv) {
  const folder = user.project(name, upgradedPrograms[name]);
  /** @type {Record<string, string>} what the program reads */
  const env = {};
  const pulumi = (/** @type {string[]} */ ...words) =>
    must("pulumi", [...words, "--non-interactive"], { cwd: folder, env: { ...serviceEnv(), ...env } });
  const output = async (/** @type {string} */ key) =>
    (await pulumi("stack", "output", "--json", key)).replaceAll(/\s/g, "");
  /** @param {"created" | "unchanged" | "replaced"} expected what the summary counts */
  const up = async (expected) => {
    const text = await pulumi("up", "--yes", "--skip-preview");
    const other = expected === "unchanged" ? /\d (?:created|updated|replaced|deleted)/ : undefined;
    expect(text.includes(expected) && !other?.test(text), `the up did not only count as ${expected}:\n${text}`);
    expect((await output("rows")) === '[["7"]]', `the output rows is ${await output("rows")}`);
  };
  const running = async () =>
    (await must(process.execPath, ["running.js"], { cwd: folder, env: serviceEnv() })).trim() !== "0";
  return { folder, env, pulumi, up, output, running };
}

/**
 * @param {string} folder of a project
 * @param {string} spec of the package
 * @param {NodeJS.ProcessEnv} env
 */
async function install(folder, spec, env) {
  const words = ["install", "--no-audit", "--no-fund", "--loglevel=error", spec, "@pulumi/pulumi@^3.250.0"];
  await must("npm", words, { cwd: folder, env });
}
