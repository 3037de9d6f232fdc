import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readCommandLine, seedsFor } from "../../simulation/command-line.mts";
import { mutants } from "../../simulation/mutants/index.mts";
import { whyStale } from "../../simulation/mutants/mutant.mts";

const now = 3_000_000_017;

describe("npm run simulate", () => {
  test("without options: 20,000 schedules of a seed from the clock", () => {
    expect(readCommandLine([], now)).toEqual({ schedules: 20_000, seed: 17 });
  });

  test("with options: they are read", () => {
    const args = ["--schedules", "5", "--seed", "0", "--kind", "shared", "--mutants", "S3"];
    expect(readCommandLine(args, now)).toEqual({ schedules: 5, seed: 0, kind: "shared", mutants: "S3" });
    expect(readCommandLine(["--mutants"], now)).toMatchObject({ mutants: "" });
  });

  test("--help: prints the usage with every option", () => {
    const told = readCommandLine(["--help"], now);
    expect(told).toMatchObject({ exitCode: 0 });
    for (const option of ["schedules", "seed", "kind", "mutants", "help"])
      expect(told).toMatchObject({ text: expect.stringContaining(`\n  --${option} `) });
  });

  test.each([
    [["--schedule", "5"], "--schedule"],
    [["-x"], "-x"],
    [["--seed"], "--seed"],
    [["--seed", "-5"], "--seed"],
    [["--schedules", "0"], "--schedules 0"],
    [["--schedules", "1.5"], "--schedules 1.5"],
    [["--schedules", ""], "--schedules"],
    [["--seed", "9007199254740993"], "--seed 9007199254740993"],
    [["--kind", "short"], "--kind short"],
    [["S3"], '"S3"'],
    [["--mutants", "S3:", "late"], '"S3:", "late"'],
  ])("%j: is refused in one line that names it", (args, named) => {
    const told = readCommandLine(args, now);
    expect(told).toMatchObject({ exitCode: 2, text: expect.stringContaining(named) });
    expect(told).toMatchObject({ text: expect.not.stringContaining("\n") });
  });

  test("a mutant of one kind: only seeds of that kind are run", () => {
    expect(seedsFor({ seed: 1 })).toEqual({ seed: 1, step: 1 });
    expect(seedsFor({ seed: 1 }, "shared")).toEqual({ seed: 210, step: 200 });
    expect(seedsFor({ seed: 1, kind: "long" })).toEqual({ seed: 20, step: 20 });
  });

  test.each([
    ["an unknown option", ["--schedule", "5"], "--schedule"],
    ["a name that no mutant has", ["--mutants", "no such name"], '"no such name"'],
  ])("%s: exit code 2 after one line, and no stack", (_, args, named) => {
    const script = join(__dirname, "../../../scripts/simulate.mts");
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(named);
    expect(stderr.trim()).not.toContain("\n");
  });
});

describe("a mutant", () => {
  const [mutant] = mutants;

  test("whose text is in the code once: may be made", () => expect(whyStale(mutant!)).toBeUndefined());

  test.each([
    ["is gone", { from: "no such text" }, /service\/.* has this text 0 times, not once: no such text/],
    ["is there twice", { from: "import" }, /has this text \d+ times, not once: import/],
    ["is of a file that is gone", { file: "service/gone.ts" }, /service\/gone.ts cannot be read/],
  ])("whose text %s: is stale, which says why", (_, change, problem) => {
    expect(whyStale({ ...mutant!, ...change })).toMatch(problem);
  });
});
