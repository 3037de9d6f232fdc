/**
 * Writes docs/api-support.md: the behaviour that the service's contract tests cover, operation by operation.
 * `node tools/generate/api-support.mts [--check] [--report FILE]` runs these tests, or reads vitest's JSON report of a
 * run; `--check` compares the page instead of writing it. The exit code is 1 when a test fails, when an operation has
 * an error that no test covers, or when the page is out of date.
 *
 * The test names describe the behaviour: `<operation>: <behaviour> (<ErrorCode>)`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../setup/layout.mjs";
import { anchorOf } from "../site/anchors.mjs";

const { operations, operationNames, errorTable } = createRequire(import.meta.url)(
  join(root, "service/dist/contract/index.js"),
) as typeof import("../../contract/index.ts");
type OperationName = keyof typeof operations;

/** The behaviour that one test covers. */
interface TestedBehaviour {
  /** An operation, or a topic of all operations such as `authentication`. */
  readonly subject: string;
  readonly behaviour: string;
  readonly code: string | undefined;
  readonly passed: boolean;
}

const { values: options } = parseArgs({ options: { check: { type: "boolean" }, report: { type: "string" } } });
const page = join(root, "docs/api-support.md");
const tested = options.report === undefined ? runTests() : readReport(options.report);
const failed = tested.filter(({ passed }) => !passed);
const gaps = operationNames.flatMap((name) =>
  operations[name].errors
    .filter((code) => !tested.some((one) => one.subject === name && one.code === code))
    .map((code) => `${name}: ${code}`),
);
const outdated = options.check === true && readFileSync(page, "utf8") !== document();
if (!options.check) writeFileSync(page, document());
if (outdated) console.error("docs/api-support.md is out of date: run `node tools/generate/api-support.mts`");
for (const { subject, behaviour } of failed) console.error(`test failed: ${subject}: ${behaviour}`);
for (const gap of gaps) console.error(`no test in test/contract/service covers the error ${gap}`);
console.log(
  `docs/api-support.md: ${tested.length} behaviours, ${failed.length} failed, ${gaps.length} errors without a test`,
);
process.exitCode = failed.length + gaps.length > 0 || outdated ? 1 : 0;

function runTests(): TestedBehaviour[] {
  const folder = mkdtempSync(join(tmpdir(), "dag-api-support-"));
  const file = join(folder, "results.json");
  try {
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const args = ["run", "--project", "contract", "test/contract/service", "--reporter=json", `--outputFile=${file}`];
    execFileSync(process.execPath, [vitest, ...args], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    // The results file has the failed tests.
  }
  try {
    return readReport(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): TestedBehaviour[] {
  const { testResults } = JSON.parse(readFileSync(file, "utf8")) as {
    testResults: { name: string; assertionResults: { title: string; status: string }[] }[];
  };
  return testResults
    .filter(({ name }) => name.includes("/test/contract/service/"))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(({ assertionResults }) => assertionResults.flatMap(behaviourOf));
}

function behaviourOf({ title, status }: { title: string; status: string }): TestedBehaviour[] {
  const match = /^([^:]+): (.*?)(?: \((\w+)\)(.*))?$/s.exec(title);
  if (!match) return [];
  const [, subject = "", behaviour = "", code, rest = ""] = match;
  const isCode = code !== undefined && Object.hasOwn(errorTable, code);
  return [
    {
      subject,
      behaviour: isCode ? `${behaviour}${rest}` : title.slice(subject.length + 2),
      code: isCode ? code : undefined,
      // A test that needs what the machine does not have, such as a file system of its own, is skipped and says why.
      passed: status !== "failed",
    },
  ];
}

function document(): string {
  const common = [...new Set(tested.map(({ subject }) => subject))].filter((subject) => !isOperation(subject));
  return [
    "<!-- Written by tools/generate/api-support.mts from the contract tests in test/contract/service. -->",
    "",
    "# API support",
    "",
    "The behaviour of the service that the contract tests cover, with real sockets and real engines.",
    "",
    `- ${linkTo("Errors by operation")}`,
    `- Operations: ${operationNames.map(linkTo).join(", ")}`,
    `- ${linkTo("All operations")}: ${common.map(linkTo).join(", ")}`,
    "",
    "## Errors by operation",
    "",
    "✓: a test covers the error. –: the API does not list it for the operation. `any`: a test of *All operations* covers it.",
    "",
    ...errorMatrix(),
    "",
    ...operationNames.flatMap((name) => section(name, name)),
    "## All operations",
    "",
    ...common.flatMap((subject) => section(subject, subject, "###")),
  ].join("\n");
}

function linkTo(heading: string): string {
  return `[${heading.replace(/[[\]]/g, "\\$&")}](#${anchorOf(heading)})`;
}

function errorMatrix(): string[] {
  const codes = Object.keys(errorTable) as (keyof typeof errorTable)[];
  const header = ["Code", "Status", ...operationNames, "any"];
  const rows = codes.map((code) => {
    const anywhere = tested.some((one) => !isOperation(one.subject) && one.code === code && one.passed);
    const cells = operationNames.map((name) => cell(name, code));
    return [`\`${code}\``, String(errorTable[code].status)].concat(cells, anywhere ? "✓" : "");
  });
  return table(header, rows);
}

function cell(name: OperationName, code: string): string {
  if (tested.some((one) => one.subject === name && one.code === code && one.passed)) return "✓";
  return (operations[name].errors as readonly string[]).includes(code) ? "**gap**" : "–";
}

function section(title: string, subject: string, level = "##"): string[] {
  const rows = tested
    .filter((one) => one.subject === subject)
    .map(({ behaviour, code, passed }) => [behaviour, code ? `\`${code}\`` : "", passed ? "yes" : "**no**"]);
  return [`${level} ${title}`, "", ...table(["Behaviour", "Error", "Supported"], rows), ""];
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text) => text.replaceAll("|", "\\|").replace(/\s+/g, " ")).join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)];
}

function isOperation(subject: string): boolean {
  return (operationNames as readonly string[]).includes(subject);
}
