/** docs/guarantees.md: what the provider promises, each promise with the test that proves it, from the tests' names. */
import { readFileSync } from "node:fs";

/** Headings, and the test files whose tests prove what stands under them. */
const chapters: Readonly<Record<string, readonly string[]>> = {
  "The four resources, through the real engine": ["test/e2e/provider/lifecycle.test.ts"],
  "Interrupted, killed, timed out": ["test/e2e/provider/interruptions.ts", "test/e2e/provider/interruption.test.ts"],
  "A service in trouble": ["test/e2e/provider/trouble.test.ts", "test/e2e/provider/restart.test.ts"],
  "File and S3 storage": ["test/e2e/provider/storage.test.ts"],
  "Names of tables that the program leaves out": ["test/e2e/provider/autonaming.test.ts"],
  "Many at once, secrets, functions, drift": ["test/e2e/provider/many.test.ts"],
  "Restarts, log exports, dependencies": ["test/e2e/provider/clusters.test.ts"],
  "Before anything is made": ["test/e2e/provider/preview.test.ts", "test/e2e/provider/misconfiguration.test.ts"],
  "Examples, packed and run as they are": ["test/e2e/provider/examples.test.ts"],
  "Never twice, never lost": [
    "test/unit/provider/lifecycles/queries/submission.test.ts",
    "test/unit/provider/lifecycles/queries/waiting.test.ts",
  ],
  SelectQuery: ["test/unit/provider/lifecycles/resources/select-query.test.ts"],
  SplitTable: ["test/unit/provider/lifecycles/resources/split-table.test.ts"],
  ClusterRestart: ["test/unit/provider/lifecycles/resources/cluster-restart.test.ts"],
  ClusterLogExport: ["test/unit/provider/lifecycles/resources/cluster-log-export.test.ts"],
  "One poll for all, retries, clock skew": [
    "test/unit/provider/client/poller.test.ts",
    "test/contract/client/retry.test.ts",
  ],
  "Errors as people read them": ["test/unit/provider/lifecycles/explanation.test.ts"],
  "Slots, tokens, overlaps": [
    "test/unit/provider/lifecycles/queries/slots.test.ts",
    "test/unit/provider/lifecycles/queries/token.test.ts",
    "test/unit/provider/lifecycles/overlap/overlap.test.ts",
  ],
};

/** The file's text. */
export function guaranteesPage(): string {
  return [
    "<!-- Written by scripts/generate.mts from the names of the tests: change those, then `npm run generate`. -->",
    "",
    "# Guarantees",
    "",
    "What the provider promises. Each line is the name of a test that proves it; `npm test` runs them all. The first",
    "chapters run the real Pulumi engine against the real service.",
    "",
    ...Object.entries(chapters).flatMap(([title, files]) => [
      `## ${title}`,
      "",
      ...files.flatMap((file) => [
        `In [\`${file}\`](../${file}):`,
        "",
        ...testNames(file).map((name) => `- ${name}`),
        "",
      ]),
    ]),
  ].join("\n");
}

/** `<describe>: <test>` of every test of a file; a table of cases is one line. */
function testNames(file: string): string[] {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const names: string[] = [];
  let group = "";
  const declaration = /^( *)(describe|test|it)(?:\.each\(([^]*?)\))?\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/gm;
  for (const [, indent = "", kind, cases, double, single] of source.matchAll(declaration)) {
    const name = readable((double ?? single ?? "").replaceAll('\\"', '"'), cases, file);
    if (kind === "describe") group = name;
    else names.push(indent === "" || group === "" ? name : `${group}: ${name}`);
  }
  if (names.length === 0) throw new Error(`${file} has no tests`);
  return names;
}

/** A name of many cases without its place holders: a list of words takes their place, and those after a colon go. */
function readable(name: string, cases: string | undefined, file: string): string {
  if (cases === undefined) return name;
  const words = /^\[("\w+"(?:, "\w+")*)\]/.exec(cases)?.[1]?.match(/\w+/g);
  const found = (words ? name.replace("%s", words.join(" and ")) : name).replace(/:(?:,? %[a-z](?: \w+)?)+$/, "");
  if (/%[a-z]/.test(found)) throw new Error(`"${name}" in ${file} reads badly: its place holders belong to its end`);
  return found;
}
