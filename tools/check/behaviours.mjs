/**
 * Looks for the titles of the contract tests in docs/api-support.md. The tests are read and not run, so that one that is
 * new or has another title is noticed at once; the end of `npm test` compares the whole page with a run.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../setup/layout.mjs";
import { run } from "../setup/process.mjs";

/** @returns {Promise<string[]>} one line for each title without a row */
export async function behaviourProblems() {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = ["list", "--project", "contract", "test/contract/service", "--json"];
  const { code, output } = await run(process.execPath, [vitest, ...args], { cwd: root });
  if (code !== 0) return [output];
  /** @type {{ name: string }[]} */
  const tests = JSON.parse(output);
  return missingBehaviours(
    tests.map(({ name }) => name.split(" > ").at(-1) ?? name),
    readFileSync(join(root, "docs/api-support.md"), "utf8"),
  );
}

/**
 * @param {readonly string[]} titles of the tests, with `%s` or the like for what a list of cases fills in
 * @param {string} page
 * @returns {string[]}
 */
export function missingBehaviours(titles, page) {
  const behaviours = behavioursOf(page);
  const patterns = titles.filter((title) => title.includes(": ")).map(patternOf);
  return patterns
    .filter(({ pattern }) => !behaviours.some((behaviour) => pattern.test(behaviour)))
    .map(
      ({ title }) =>
        `"${title}" is not in docs/api-support.md: run \`node tools/generate/api-support.mts\` (6 minutes)`,
    );
}

/**
 * @param {string} page
 * @returns {string[]} each row below a heading of an operation or a topic, as the title of its test without the code
 */
function behavioursOf(page) {
  /** @type {string[]} */
  const found = [];
  let heading = "";
  for (const line of page.split("\n")) {
    heading = /^##+ (.*)/.exec(line)?.[1] ?? heading;
    const behaviour = /^\| (.*?) \| [^|]*\| (?:yes|\*\*no\*\*) \|$/.exec(line.replaceAll("\\|", "\0"))?.[1];
    if (behaviour !== undefined) found.push(normal(`${heading}: ${behaviour.replaceAll("\0", "|")}`));
  }
  return found;
}

/** @param {string} title */
function patternOf(title) {
  const parts = normal(title).split(/%[sdifjo]/);
  return {
    title,
    pattern: new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*")}$`),
  };
}

/**
 * Takes the error code in parentheses away, for which the page has a column, and runs of spaces.
 *
 * @param {string} title
 */
function normal(title) {
  return title.replace(/ \((?:\w+|%s)\)/g, "").replace(/\s+/g, " ");
}
