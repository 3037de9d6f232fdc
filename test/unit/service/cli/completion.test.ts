import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { errorCodes } from "../../../../contract";
import { completionScript, shells, type Shell } from "../../../../service/cli/completion/scripts";
import type { CompletedOption, Values } from "../../../../service/cli/completion/words";

const option = (name: string, values?: Values) => ({ name, description: "it's an option", values });
const command = (name: string, values: Values, options: CompletedOption[] = []) => ({
  name,
  description: "a command",
  options: [...options, option("--help")],
  values,
});
const commands = [
  command("sql", "none", [option("--format", ["table", "csv"]), option("--json")]),
  command("put", "files"),
  command("explain", errorCodes),
];
const own = command("", ["sql", "put", "explain"], [option("--config", "files"), option("--listen", "none")]);

const has = (shell: Shell) => spawnSync(shell, ["-c", "exit 0"]).status === 0;
const script = (shell: Shell) => completionScript(shell, { own, commands });

/** Returns what bash offers for a line whose last word is completed. */
function complete(...line: string[]): string[] {
  const run = [
    script("bash"),
    `COMP_WORDS=(dag-service ${line.map((word) => `'${word}'`).join(" ")})`,
    `COMP_CWORD=${line.length}`,
    "compopt() { :; }",
    "_dag_service",
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ];
  const { stdout, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-c", run.join("\n")], {
    encoding: "utf8",
    cwd: __dirname,
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((word) => word !== "");
}

describe.skipIf(!has("bash"))("bash", () => {
  test("completes commands, their options, and the values of options", () => {
    expect(complete("")).toEqual(["sql", "put", "explain"]);
    expect(complete("s")).toEqual(["sql"]);
    expect(complete("--l")).toEqual(["--listen"]);
    expect(complete("sql", "--")).toEqual(["--format", "--json", "--help"]);
    expect(complete("sql", "--format", "")).toEqual(["table", "csv"]);
    expect(complete("--config", "x", "sql", "--format", "c")).toEqual(["csv"]);
  });

  test("completes error codes and files, and nothing where a value is free", () => {
    expect(complete("explain", "TooMany")).toEqual(errorCodes.filter((code) => code.startsWith("TooMany")));
    expect(complete("put", "completion.t")).toEqual(["completion.test.ts"]);
    expect(complete("--config", "completion.t")).toEqual(["completion.test.ts"]);
    expect(complete("--listen", "")).toEqual([]);
    expect(complete("sql", "")).toEqual([]);
  });
});

test.each(shells)("the script for %s is one that it can read", (shell) => {
  const text = script(shell);
  for (const name of ["sql", "put", "explain"]) expect(text).toContain(name);
  if (!has(shell)) return;
  const { status, stderr } = spawnSync(shell, ["-n"], { input: text, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});
