/**
 * `smoke.mjs`: what a user does first, with the packed packages on this system: install, start the service, one stack. The
 * workflow runs it on the systems on which no rehearsal runs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../setup/layout.mjs";
import { ensurePulumi } from "../setup/pulumi-cli.mjs";
import { npmPackages, releaseVersion, tarballName } from "./packages.mjs";
import { Checks } from "./rehearsal/checks.mjs";
import { byNpx, startService } from "./rehearsal/service.mjs";
import { makeUser } from "./rehearsal/user.mjs";
import { typescript } from "./rehearsal/users.mjs";
import { must } from "./step.mjs";

const folder = mkdtempSync(join(tmpdir(), "pulumi-dag-smoke-"));
const checks = new Checks();
try {
  await must(process.execPath, [join(root, "tools/release/pack-npm.mjs"), folder]);
  const file = (/** @type {string} */ name) => {
    const { published } = npmPackages.find((each) => each.name === name) ?? { published: name };
    return join(folder, "npm", tarballName(published, releaseVersion()));
  };
  const user = makeUser(folder, undefined, await ensurePulumi(process.execPath));
  const service = await startService(user, byNpx(file("dag-service")), join(user.home, "data"));
  await checks.check("install, up, up again, destroy", () =>
    typescript(user, service.env, file("pulumi-dag"), { name: "smoke", type: "commonjs", manager: "npm" }),
  );
  await service.stop();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${checks.passed} passed, ${checks.failed} failed`);
process.exitCode = checks.failed === 0 && checks.passed > 0 ? 0 : 1;
