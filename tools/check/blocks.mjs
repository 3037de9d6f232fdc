/** Checks that every block of code in docs/, README.md and ARCHITECTURE.md is run by a test or of a file, or says why not. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../setup/layout.mjs";

/** A block of code, with the line before it and its language. */
const block = /^(.*)\n\n? *```(\w+)\n/gm;
/** Comments on the line before: the code is of a file (tools/check/site.mjs compares it), or nothing runs it. */
const marked = /^ *<!-- (?:code of \S+|not run: .+) -->$/;
/** Diagrams, which test/browser/site.test.ts draws. */
const drawn = "mermaid";

/** What runs or compares all blocks of a page in a language. */
const tests = new Map(
  Object.entries({
    "README.md ts": "tools/check/documents.mjs",
    "README.md sh": "test/e2e/quickstart",
    "docs/_index.md typescript": "test/contract/release/registry-page.test.ts",
    "docs/_index.md python": "test/contract/release/registry-page.test.ts",
    "docs/_index.md go": "test/contract/release/registry-page.test.ts",
    "docs/_index.md java": "test/contract/release/registry-page.test.ts",
    "docs/_index.md yaml": "test/contract/release/registry-page.test.ts",
    "docs/api.md sh": "test/contract/documentation/curl.test.ts",
    "docs/api.md http": "test/contract/service/api-examples.test.ts",
    "docs/api.md json": "test/contract/service/protocol.test.ts",
    "docs/client.md ts": "test/contract/client/documentation.test.ts",
    "docs/refusals.md sql": "test/unit/hiveql/refusals-page.test.ts",
    "docs/scale/hiveserver2-clusters.md yaml": "test/unit/docs/config-blocks.test.ts",
    "docs/scale/several-processes.md yaml": "test/unit/docs/config-blocks.test.ts",
    "docs/service.md ts": "test/contract/service/testing.test.ts",
    "docs/service.md yaml": "test/unit/docs/config-blocks.test.ts",
  }),
);

/** Why nothing runs the blocks of a page in a language. */
const notRun = new Map(
  Object.entries({
    "docs/resources.md ts":
      "the first example that schema.json has of each resource; its programs are not run one by one",
    "docs/installation-configuration.md sh": "installs packed packages: npm run release:rehearse does the same",
    "docs/installation-configuration.md yaml": "a line of Pulumi.yaml with a path of the reader's",
    "docs/run/team.md sh": "changes a server as root: the files that it copies are run by test/contract/deployment",
    "docs/run/operations.md sh": "changes a server as root: backup and restore are run by test/contract/service",
    "docs/run/monitoring.md sh":
      "changes a server as root: the files that it copies are run by test/contract/deployment",
    "docs/start.md sh":
      "the commands of the quickstart, which test/e2e/quickstart runs, and an installation as npm run release:rehearse does it",
    "docs/scale.md sh": "the command of the README for a cluster, which needs Java and fetches Spark",
    "docs/scale/several-processes.md sh":
      "needs a database that is there: test/contract/service/several-processes.test.ts",
    "docs/scale/s3.md sh":
      "needs an S3 server and its keys: test/contract/s3 starts the service with the same settings",
    "docs/service.md sh": "one start in three ways: test/contract/service starts it so",
    "docs/releasing.md sh": "signs a real release",
  }),
);

/**
 * Finds blocks that nothing runs and that do not say why. The pages of resources have the examples of schema.json in
 * every language: their programs are not run one by one.
 *
 * @param {string} document path from the repository's root
 * @param {string} text
 * @returns {string[]}
 */
export function blockProblems(document, text) {
  if (document.startsWith("docs/resources/")) return [];
  const languages = [...text.matchAll(block)].flatMap(([, before = "", language = ""]) => {
    const isKnown = tests.has(`${document} ${language}`) || notRun.has(`${document} ${language}`);
    return isKnown || marked.test(before) || language === drawn ? [] : [language];
  });
  return languages.map(
    (language) =>
      `${document} has a block of ${language} that no test runs: write "<!-- code of FILE -->" or "<!-- not run: REASON -->" before it, or name its test in tools/check/blocks.mjs`,
  );
}

/** Finds entries of the tables above that are of no use any more. @returns {string[]} */
export function staleBlockEntries() {
  const entries = [...tests.keys(), ...notRun.keys()];
  const missing = [...tests.values()].filter((file) => !existsSync(join(root, file)));
  const unused = entries.filter((entry) => {
    const [document = "", language] = entry.split(" ");
    return (
      !existsSync(join(root, document)) || !readFileSync(join(root, document), "utf8").includes(`\`\`\`${language}\n`)
    );
  });
  return [
    ...missing.map((file) => `tools/check/blocks.mjs names ${file}, which does not exist`),
    ...unused.map((entry) => `tools/check/blocks.mjs has an entry for ${entry}, and no such block is there`),
  ];
}
