/** The rehearsal of a release: from a clean clone to users who installed it, with registries on this machine. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../../setup/layout.mjs";
import { ensurePulumi } from "../../setup/pulumi-cli.mjs";
import { formatDuration } from "../../setup/progress.mjs";
import { npmPackages } from "../packages.mjs";
import { must } from "../step.mjs";
import { Checks, expect } from "./checks.mjs";
import { startRegistries } from "./registries.mjs";
import { build, makeClone, publications, publish } from "./steps.mjs";
import { byNpx, startService } from "./service.mjs";
import { packLastRelease, upgrade } from "./upgrade.mjs";
import { makeUser } from "./user.mjs";
import { useRelease } from "./users.mjs";

/**
 * @param {string[]} args
 * @returns {Promise<boolean>} true when no check failed and there was something to release
 */
export async function rehearse(args) {
  const { values } = parseArgs({
    args,
    options: { "fail-at": { type: "string", multiple: true, default: [] }, keep: { type: "boolean", default: false } },
  });
  const failAt = values["fail-at"].flatMap((name) => (name === "all" ? publications : [name]));
  const unknown = failAt.find((name) => !publications.some((each) => each === name));
  if (unknown !== undefined) {
    console.error(`--fail-at ${unknown}: there is no such publication; name ${publications.join(", ")} or all`);
    return false;
  }
  const started = Date.now();
  const checks = new Checks();
  const folder = mkdtempSync(join(tmpdir(), "pulumi-dag-rehearsal-"));
  const registries = await startRegistries(join(folder, "registries"));
  let version = "nothing";
  try {
    await checks.check("workflows: actionlint and zizmor find nothing", async () => {
      await must(process.execPath, [join(root, "tools/check/workflows.mjs")]);
    });
    const clone = await makeClone(folder, registries);
    const built = await build(clone, checks);
    if (built !== undefined) {
      version = built;
      await publish(clone, registries, checks, failAt);
      await use(folder, registries, version, checks);
      await upgradeFromLast(folder, registries, version, checks);
    }
  } finally {
    registries.close();
    if (values.keep) console.log(`kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  console.log(`took ${formatDuration(Date.now() - started)}; ${checks.notDone.length} not done`);
  console.log(checks.summary(version));
  return checks.failed === 0 && version !== "nothing";
}

/**
 * @param {string} folder
 * @param {import("./registries.mjs").Registries} registries
 * @param {string} version
 * @param {Checks} checks
 */
async function use(folder, registries, version, checks) {
  const user = makeUser(folder, registries, await ensurePulumi(process.execPath));
  const data = join(user.home, "data");
  /** @type {Awaited<ReturnType<typeof startService>> | undefined} */
  let running;
  await checks.check("npx: installs the service from the registry and starts it", async () => {
    running = await startService(user, byNpx(servicePackage(version)), data);
    expect((await fetch(`${running.url}/healthz`)).ok, "it does not answer");
  });
  if (running === undefined) return;
  await useRelease({ user, env: running.env, version, folder, registries }, checks);
  const { stop } = running;
  await checks.check("npx: SIGTERM ends the service", stop);
}

/**
 * @param {string} folder
 * @param {import("./registries.mjs").Registries} registries
 * @param {string} version
 * @param {Checks} checks
 */
async function upgradeFromLast(folder, registries, version, checks) {
  const user = makeUser(join(folder, "upgrade"), registries, await ensurePulumi(process.execPath));
  /** @type {import("./upgrade.mjs").Packages | undefined} */
  let last;
  await checks.check("the last release: built and packed from its commit", async () => {
    last = await packLastRelease(join(folder, "last"));
  });
  if (last === undefined) return;
  const own = { service: servicePackage(version), provider: `pulumi-dag@${version}`, version };
  await upgrade(user, last, own, checks);
}

/** @param {string} version */
function servicePackage(version) {
  const { published = "" } = npmPackages.find(({ name }) => name === "dag-service") ?? {};
  return `${published}@${version}`;
}
