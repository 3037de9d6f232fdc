/** `propose.mjs` opens the pull request of what version.mjs has changed, or updates it. Needs `gh` and its token. */
import { run } from "../setup/process.mjs";
import { releaseVersion } from "./packages.mjs";
import { must } from "./step.mjs";

const branch = "release/next";
const title = `Release ${releaseVersion()}`;
const by = ["-c", "user.name=pulumi-dag release", "-c", "user.email=release@pulumi-dag.invalid"];
await must("gh", ["auth", "setup-git"]);
await must("git", ["checkout", "-B", branch]);
await must("git", ["add", "--all"]);
await must("git", [...by, "commit", "--message", title]);
await must("git", ["push", "--force", "origin", branch]);
const { code } = await run("gh", ["pr", "edit", branch, "--title", title]);
const body = "Merging this publishes the release. CHANGELOG.md is what its users read.";
if (code !== 0) await must("gh", ["pr", "create", "--head", branch, "--title", title, "--body", body]);
