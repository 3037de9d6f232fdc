/** Tests the set-up on a prepared machine: the command runs directly, and no step is repeated. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(__dirname, "../../..");
const setup = join(root, "scripts/setup.mjs");

function run(...args: string[]) {
  return spawnSync(process.execPath, [setup, ...args], { encoding: "utf8" });
}

describe("setup.mjs", () => {
  test("prints nothing when nothing is to be done", () => {
    run();
    const again = run();
    expect({ status: again.status, said: again.stdout + again.stderr }).toEqual({ status: 0, said: "" });
  });

  test("runs several times concurrently", async () => {
    const running = Array.from({ length: 4 }, () => spawn(process.execPath, [setup, "--", "node", "--version"]));
    const codes = await Promise.all(running.map(async (child) => (await once(child, "exit"))[0]));
    expect(codes).toEqual([0, 0, 0, 0]);
  });

  test("gives the command Node 24, the packages' programs and the Pulumi CLI", () => {
    const { stdout } = run("--", "node", "-p", "process.version + ' ' + process.env.PATH");
    const [version, path = ""] = stdout.trim().split(/ (.*)/s);
    expect(version).toMatch(/^v24\./);
    expect(path.split(delimiter)[0]).toBe(join(root, "node_modules/.bin"));
    const cli = run("--", "pulumi", "version");
    expect(cli.stdout).toMatch(/^v?3\.\d+\.\d+/);
  });

  test("passes on arguments, output and the exit code", () => {
    const script = "console.log(process.argv.slice(1).join('|')); process.exit(7)";
    const { status, stdout } = run("--packages-only", "--", "node", "-e", script, "--", "a b", "--destroy", "*");
    expect({ status, stdout }).toEqual({ status: 7, stdout: "a b|--destroy|*\n" });
  });

  test.each(["SIGINT", "SIGTERM"] as const)("passes on %s", async (signal) => {
    const script = `process.on(${JSON.stringify(signal)}, () => process.exit(42)); console.log("ready"); setInterval(() => {}, 1000)`;
    const child = spawn(process.execPath, [setup, "--packages-only", "--", "node", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    child.kill(signal);
    expect((await once(child, "exit"))[0]).toBe(42);
  });

  test("reports a command that was ended by a signal", () => {
    expect(run("--packages-only", "--", "node", "-e", "process.kill(process.pid, 'SIGTERM')").status).toBe(143);
  });

  test("reports invalid arguments", () => {
    const { status, stderr } = run("--pakages-only");
    expect(status).toBe(1);
    expect(stderr).toContain("--pakages-only");
    expect(stderr).toContain("Usage:");
    expect(stderr).not.toContain("    at ");
  });

  test("names a command that cannot be started", () => {
    const { status, stderr } = run("--packages-only", "--", "no-such-program");
    expect(status).toBe(1);
    expect(stderr).toContain("no-such-program");
    expect(stderr).not.toContain("    at ");
  });

  test("runs on Node 20: imports only features of that version", () => {
    const imported = execFileSync("grep", ["-rhoE", 'from "[^"]+"', setup, join(root, "tools/setup")], {
      encoding: "utf8",
    });
    const foreign = imported
      .split("\n")
      .map((line) => line.slice(6, -1))
      .filter((name) => name !== "" && !name.startsWith("node:") && !name.startsWith("."));
    // Except the script that Node 24 starts after the packages are installed.
    expect(foreign).toEqual(["@pulumi/pulumi/automation/index.js"]);
  });
});
