/**
 * `publish-git.mjs FOLDER` pushes the release's tags to the remote `origin`: `v<version>` at the released commit, and
 * `sdk/go/v<version>` at a commit that adds the Go SDK to it, from which Go makes the module. A tag that is there is left;
 * one at another commit stops it.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../setup/layout.mjs";
import { releaseVersion, sdks } from "./packages.mjs";
import { must, ReleaseError, requireSignedOff, runStep } from "./step.mjs";

await runStep(async (folder) => {
  requireSignedOff(folder);
  const version = releaseVersion();
  const head = git(["rev-parse", "HEAD"]);
  const tags = {
    [`${sdks.go.folder}/v${version}`]: commitWithSdk(join(folder, "go"), head, version),
    [`v${version}`]: head,
  };
  for (const [tag, commit] of Object.entries(tags)) {
    const there = (await must("git", ["ls-remote", "origin", `refs/tags/${tag}`])).split("\t")[0]?.trim();
    if (there && there !== commit)
      throw new ReleaseError(`the tag ${tag} is at ${there} and not at ${commit}: release another version`);
    if (!there) await must("git", [...credentials(), "push", "origin", `${commit}:refs/tags/${tag}`]);
    console.log(`${tag}: ${there ? "was pushed before" : "pushed"}`);
  }
});

/** @returns {string[]} git's options for a workflow's token, which no checkout has stored */
function credentials() {
  const { GITHUB_SERVER_URL: server, GITHUB_TOKEN: token } = process.env;
  if (!server || !token) return [];
  const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
  return ["-c", `http.${server}/.extraheader=AUTHORIZATION: basic ${basic}`];
}

/**
 * Makes the same commit each time: its author and time are those of the released commit.
 *
 * @param {string} tree a folder that holds the SDK at its path in the repository
 * @param {string} head
 * @param {string} version
 */
function commitWithSdk(tree, head, version) {
  const work = mkdtempSync(join(tmpdir(), "pulumi-dag-git-"));
  try {
    const date = git(["show", "-s", "--format=%cI", head]);
    const by = { NAME: "pulumi-dag release", EMAIL: "release@pulumi-dag.invalid", DATE: date };
    const env = Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((role) =>
        Object.entries(by).map(([key, value]) => [`GIT_${role}_${key}`, value]),
      ),
    );
    const own = { ...env, GIT_INDEX_FILE: join(work, "index") };
    git(["read-tree", head], own);
    git([`--work-tree=${tree}`, "add", "--force", "--", join(tree, sdks.go.folder)], own);
    return git(["commit-tree", git(["write-tree"], own), "-p", head, "-m", `Go SDK of v${version}`], own);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
function git(args, env = {}) {
  return execFileSync("git", args, { cwd: root, env: { ...process.env, ...env }, encoding: "utf8" }).trim();
}
