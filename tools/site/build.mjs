/** Builds the site with VitePress. The folder `dist` needs no server of ours: any that serves files will do. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { build, serve } from "vitepress";
import { root } from "../setup/layout.mjs";
import { downloads } from "./pages.mjs";

const docs = join(root, "docs");

/** Builds it. Fails when a page links to one that does not exist. */
export async function buildSite() {
  await build(docs);
  for (const file of downloads) cpSync(join(docs, file), join(docs, ".vitepress/dist", file));
}

/** Serves it on this machine until the process ends. */
export async function serveSite() {
  await serve({ root: docs, port: 4173 });
}
