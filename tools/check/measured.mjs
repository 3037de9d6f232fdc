/** Says which figures of docs/performance.md are of code that has changed since they were measured. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../setup/layout.mjs";
import { run } from "../setup/process.mjs";

const service = ["service", "storage", "contract"];
const engine = [...service, "hiveql"];

/** The folders whose code a benchmark measures; those of others are measured with the engine. */
const measured = /** @type {Record<string, string[]>} */ ({
  get: ["service/http", "service/state", "service/core", "contract"],
  list: ["service/http", "service/state", "service/core", "contract"],
  split: service,
  provider: ["provider", "contract", "hiveql/syntax"],
  inside: ["hiveql", "service/engines/duckdb"],
  limits: [],
});

/**
 * Compares with the commits that the results name. Nothing fails: code changes every day, and figures are measured on an
 * idle machine before a release.
 *
 * @returns {Promise<string[]>} one line for each benchmark whose code has changed
 */
export async function measuredNotices() {
  const text = readFileSync(join(root, "bench/results.json"), "utf8");
  const results = /** @type {Record<string, { commit?: string }>} */ (JSON.parse(text));
  const lines = [];
  for (const [name, { commit = "" }] of Object.entries(results)) {
    const folders = measured[name] ?? engine;
    if (folders.length === 0) continue;
    const hash = commit.replace("+", "");
    const { code, output } = await run("git", ["diff", "--name-only", hash || "unknown", "--", ...folders], {
      cwd: root,
    });
    const files = output.split("\n").filter((line) => line !== "").length;
    if (code !== 0) lines.push(`${name}: the commit of its figures is not known here`);
    else if (files > 0) lines.push(`${name}: ${files} files have changed since ${commit}`);
  }
  return lines;
}
