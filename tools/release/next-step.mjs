/**
 * `next-step.mjs` prints what a push to main leads to: `next=propose` when there are notes, `next=publish` when the
 * version has no tag on the remote yet, `next=nothing` otherwise.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../setup/layout.mjs";
import { releaseVersion } from "./packages.mjs";
import { must } from "./step.mjs";

const notes = readdirSync(join(root, ".changeset")).filter((file) => file.endsWith(".md"));
const tag = await must("git", ["ls-remote", "origin", `refs/tags/v${releaseVersion()}`]);
console.log(`next=${notes.length > 0 ? "propose" : tag.trim() === "" ? "publish" : "nothing"}`);
