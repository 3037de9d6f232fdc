/**
 * Writes docs/api-support.md: lists, operation by operation, what the service's contract tests show.
 * `node tools/generate/api-support.mts [--check] [--report FILE]`: runs those tests, or reads vitest's JSON report of a run;
 * `--check` compares instead of writing. Exit code 1 where a test fails, where an operation has an error that none
 * shows, or where the page is not what the tests show.
 *
 * The tests say it in their names: `<operation>: <behaviour> (<ErrorCode>)`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { operations, operationNames, errorTable } = createRequire(import.meta.url)(
  join(root, "service/dist/contract/index.js"),
) as typeof import("../../contract/index.ts");
type OperationName = keyof typeof operations;

/** What one test shows. */
interface Shown {
  /** What the test is about: an operation, or something of all of them such as `authentication`. */
  readonly subject: string;
  readonly behaviour: string;
  readonly code: string | undefined;
  readonly passed: boolean;
}

const { values: options } = parseArgs({ options: { check: { type: "boolean" }, report: { type: "string" } } });
const page = join(root, "docs/api-support.md");
const shown = options.report === undefined ? runTests() : readReport(options.report);
const failed = shown.filter(({ passed }) => !passed);
const gaps = operationNames.flatMap((name) =>
  operations[name].errors
    .filter((code) => !shown.some((one) => one.subject === name && one.code === code))
    .map((code) => `${name}: ${code}`),
);
const outdated = options.check === true && readFileSync(page, "utf8") !== document();
if (!options.check) writeFileSync(page, document());
if (outdated) console.error("docs/api-support.md is not what the tests show: node tools/generate/api-support.mts");
for (const { subject, behaviour } of failed) console.error(`failed: ${subject}: ${behaviour}`);
for (const gap of gaps) console.error(`shown by no test: ${gap}`);
console.log(`docs/api-support.md: ${shown.length} behaviours, ${failed.length} failed, ${gaps.length} gaps`);
process.exitCode = failed.length + gaps.length > 0 || outdated ? 1 : 0;

function runTests(): Shown[] {
  const folder = mkdtempSync(join(tmpdir(), "dag-api-support-"));
  const file = join(folder, "results.json");
  try {
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const args = ["run", "--project", "contract", "test/contract/service", "--reporter=json", `--outputFile=${file}`];
    execFileSync(process.execPath, [vitest, ...args], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    // Its results say which test failed.
  }
  try {
    return readReport(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): Shown[] {
  const { testResults } = JSON.parse(readFileSync(file, "utf8")) as {
    testResults: { name: string; assertionResults: { title: string; status: string }[] }[];
  };
  return testResults
    .filter(({ name }) => name.includes("/test/contract/service/"))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(({ assertionResults }) => assertionResults.flatMap(toShown));
}

function toShown({ title, status }: { title: string; status: string }): Shown[] {
  const match = /^([^:]+): (.*?)(?: \((\w+)\)(.*))?$/s.exec(title);
  if (!match) return [];
  const [, subject = "", behaviour = "", code, rest = ""] = match;
  const isCode = code !== undefined && Object.hasOwn(errorTable, code);
  return [
    {
      subject,
      behaviour: isCode ? `${behaviour}${rest}` : title.slice(subject.length + 2),
      code: isCode ? code : undefined,
      passed: status === "passed",
    },
  ];
}

function document(): string {
  const common = [...new Set(shown.map(({ subject }) => subject))].filter((subject) => !isOperation(subject));
  return [
    "<!-- Written by tools/generate/api-support.mts from the contract tests in test/contract/service. -->",
    "",
    "# API support",
    "",
    "What the contract tests show of the service, over real sockets and real engines. Sections are the specification's.",
    "",
    "## Errors by operation",
    "",
    "✓: a test shows it. –: the operation does not have it.",
    "",
    ...errorMatrix(),
    "",
    ...operationNames.flatMap((name) => section(`${name} (§${operations[name].section})`, name)),
    "## All operations",
    "",
    ...common.flatMap((subject) => section(subject, subject, "###")),
  ].join("\n");
}

function errorMatrix(): string[] {
  const codes = Object.keys(errorTable) as (keyof typeof errorTable)[];
  const header = ["Code", "Status", ...operationNames.map((name) => `§${operations[name].section}`), "any"];
  const rows = codes.map((code) => {
    const anywhere = shown.some((one) => !isOperation(one.subject) && one.code === code && one.passed);
    const cells = operationNames.map((name) => cell(name, code));
    return [`\`${code}\``, String(errorTable[code].status)].concat(cells, anywhere ? "✓" : "");
  });
  return table(header, rows);
}

function cell(name: OperationName, code: string): string {
  if (shown.some((one) => one.subject === name && one.code === code && one.passed)) return "✓";
  return (operations[name].errors as readonly string[]).includes(code) ? "**gap**" : "–";
}

function section(title: string, subject: string, level = "##"): string[] {
  const rows = shown
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
