/**
 * Writes docs/api-support.md: runs the service's contract tests and lists, operation by operation, what they show.
 * `node scripts/api-support.mts`. Exit code 1 where a test fails, or where an operation has an error that none shows.
 *
 * The tests say it in their names: `<operation>: <behaviour> (<ErrorCode>)`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { operations, operationNames, errorTable } = createRequire(import.meta.url)(
  join(root, "service/dist/provider/api/index.js"),
) as typeof import("../provider/api/index.ts");
type OperationName = keyof typeof operations;

/** What one test shows. */
interface Shown {
  /** What the test is about: an operation, or something of all of them such as `authentication`. */
  readonly subject: string;
  readonly behaviour: string;
  readonly code: string | undefined;
  readonly passed: boolean;
}

/** Errors that an operation's table entry allows and the service has no reason to answer. */
const neverAnswered: { readonly [Name in OperationName]?: Readonly<Record<string, string>> } = {
  cancelQuery: { InvalidClusterState: "a running query can be cancelled whatever its cluster does" },
};

const shown = runTests();
const failed = shown.filter(({ passed }) => !passed);
const gaps = operationNames.flatMap((name) =>
  operations[name].errors
    .filter((code) => !neverAnswered[name]?.[code] && !shown.some((one) => one.subject === name && one.code === code))
    .map((code) => `${name}: ${code}`),
);
writeFileSync(join(root, "docs/api-support.md"), document());
for (const { subject, behaviour } of failed) console.error(`failed: ${subject}: ${behaviour}`);
for (const gap of gaps) console.error(`shown by no test: ${gap}`);
console.log(`docs/api-support.md: ${shown.length} behaviours, ${failed.length} failed, ${gaps.length} gaps`);
process.exitCode = failed.length + gaps.length > 0 ? 1 : 0;

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
    const { testResults } = JSON.parse(readFileSync(file, "utf8")) as {
      testResults: { assertionResults: { title: string; status: string }[] }[];
    };
    return testResults.flatMap(({ assertionResults }) => assertionResults.flatMap(toShown));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
    "<!-- Written by scripts/api-support.mts from the contract tests in test/contract/service. -->",
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
  const notes = operationNames.flatMap((name) =>
    Object.entries(neverAnswered[name] ?? {}).map(([code, why]) => `\`${name}\` never answers \`${code}\`: ${why}.`),
  );
  return [...table(header, rows), "", ...notes];
}

function cell(name: OperationName, code: string): string {
  if (shown.some((one) => one.subject === name && one.code === code && one.passed)) return "✓";
  if (neverAnswered[name]?.[code]) return "never";
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
