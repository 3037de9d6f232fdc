/** The packed service as npm runs it. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(__dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "dag-npm-"));
const children: ChildProcess[] = [];

beforeAll(() => {
  const pack = ["pack", "-w", "service", "--ignore-scripts", "--pack-destination", folder, "--loglevel=error"];
  execFileSync("npm", pack, { cwd: root, stdio: "ignore" });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"))!;
  execFileSync("tar", ["-xzf", tarball], { cwd: folder });
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  // The dependencies that npm would install.
  for (const from of [join(root, "service/node_modules"), join(root, "node_modules")]) {
    for (const name of readdirSync(from)) {
      if (/^\.|^(pulumi-dag|dag-.*)$/.test(name) || readdirSync(modules).includes(name)) continue;
      symlinkSync(join(from, name), join(modules, name));
    }
  }
  // As npm makes it when it installs a program.
  chmodSync(join(folder, "package/dist/service/main.js"), 0o755);
  renameSync(join(folder, "package"), join(modules, "dag-service"));
  symlinkSync("../dag-service/dist/service/main.js", join(modules, ".bin/dag-service"));
  const scripts = { serve: "dag-service --listen 127.0.0.1:0" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "mine", private: true, scripts }));
});
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test.each([
  ["npx", ["dag-service", "--listen", "127.0.0.1:0"]],
  ["npm", ["exec", "--", "dag-service", "--listen", "127.0.0.1:0"]],
  ["npm", ["run", "serve"]],
])("%s %j: SIGTERM ends the service", async (program, args) => {
  // npm starts programs with the node that is first on PATH.
  const path = [dirname(process.execPath), process.env["PATH"]].join(":");
  const child = spawn(program, args, { cwd: folder, env: { PATH: path, HOME: folder }, stdio: "pipe" });
  children.push(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  await expect.poll(() => said, { timeout: 60_000 }).toContain('"msg":"listening"');
  const { url } = JSON.parse(said.split("\n").find((line) => line.includes('"msg":"listening"'))!) as { url: string };
  expect((await fetch(`${url}/healthz`)).ok).toBe(true);
  child.kill("SIGTERM");
  const answers = () =>
    fetch(`${url}/healthz`).then(
      () => "answers",
      () => "gone",
    );
  await expect.poll(answers, { timeout: 30_000 }).toBe("gone");
  // Its output may arrive after its socket was closed.
  await expect.poll(() => said, { timeout: 30_000 }).toContain('"msg":"stopping"');
});
