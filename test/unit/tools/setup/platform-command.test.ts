import { describe, expect, test } from "vitest";
import { parentOf } from "../../../../tools/setup/parents.mjs";
import { platformCommand } from "../../../../tools/setup/platform-command.mjs";

describe("platformCommand", () => {
  test("Linux: starts every program without a shell", () => {
    expect(platformCommand("npm", ["run", "a b"], "linux")).toEqual({
      file: "npm",
      args: ["run", "a b"],
      shell: false,
    });
  });

  test.each(["node", "C:\\Program Files\\nodejs\\node.exe"])("Windows: starts %s without a shell", (program) => {
    expect(platformCommand(program, ["a b"], "win32")).toEqual({ file: program, args: ["a b"], shell: false });
  });

  test("Windows: quotes the words of a .cmd program for cmd.exe", () => {
    expect(platformCommand("npm", ["ci", "--prefix=C:\\my files", "a&b", 'say "x"', ""], "win32")).toEqual({
      file: "npm",
      args: ["ci", '"--prefix=C:\\my files"', '"a&b"', '"say ""x"""', '""'],
      shell: true,
    });
  });
});

describe("parentOf", () => {
  test("this process: the system's answer", () => expect(parentOf(process.pid)).toBe(process.ppid));
  test("a process that is gone: undefined", () => expect(parentOf(2 ** 30)).toBeUndefined());
  test("Windows: undefined, without a call of ps", () => expect(parentOf(process.pid, "win32")).toBeUndefined());
});
