/** The unit and the user of docs/run, as systemd's own tools read them. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { configSchema } from "../../../service/config/schema";
import { pause } from "../service/caller";
import { deploymentFile, execute, programPath, replaced, useFolder } from "./programs";

const analyze = programPath("systemd-analyze", "systemd");
const sysusers = programPath("systemd-sysusers", "systemd");
const main = resolve(__dirname, "../../../service/dist/service/main.js");
const folder = useFolder();

/** The lines of a key of the unit. */
const settings = (key: string) =>
  [...deploymentFile("dag-service.service").matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value]) => value!);

/** Writes the unit with a program in place of the one that is installed on a server. */
function writeUnit(): string {
  const program = join(folder.path, "dag-service");
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`);
  chmodSync(program, 0o755);
  const unit = replaced(deploymentFile("dag-service.service"), {
    "/opt/dag-service/node_modules/.bin/dag-service": program,
  });
  const path = join(folder.path, "dag-service.service");
  writeFileSync(path, unit);
  return path;
}

describe.skipIf(analyze === undefined)("systemd-analyze", () => {
  test("verify: takes every line of the unit", async () => {
    const { stdout, stderr } = await execute(analyze!, ["verify", "--man=no", writeUnit()]);
    expect([stdout, stderr]).toEqual(["", ""]);
  });

  test("security: the unit is rated OK or better", async () => {
    const { stdout } = await execute(analyze!, [
      "security",
      "--offline=true",
      "--no-pager",
      "--threshold=30",
      writeUnit(),
    ]);
    expect(stdout).toMatch(/Overall exposure level for dag-service.service: [0-2]\.\d OK/);
  });
});

test.skipIf(sysusers === undefined)("systemd-sysusers: makes the user, whose home is the data folder", async () => {
  const root = join(folder.path, "root");
  mkdirSync(join(root, "etc/sysusers.d"), { recursive: true });
  writeFileSync(join(root, "etc/sysusers.d/dag-service.conf"), deploymentFile("dag-service.sysusers.conf"));
  await execute(sysusers!, [`--root=${root}`]);
  expect(readFileSync(join(root, "etc/passwd"), "utf8")).toMatch(
    /^dag:x:\d+:\d+:Query and Cluster Management Service:\/var\/lib\/dag:\S*nologin$/m,
  );
  expect([settings("User"), settings("Group")]).toEqual([["dag"], ["dag"]]);
});

test("ExecStart: the command starts the service with the config of the docs, and SIGHUP and SIGTERM do what the unit says", async () => {
  const template = deploymentFile("dag.yaml");
  expect(configSchema.safeParse(parse(template)).error?.issues.map(({ path }) => path.join("."))).toEqual([
    "credentials.0.secretAccessKey",
  ]);
  const withSecret = replaced(template, { 'secretAccessKey: ""': "secretAccessKey: a-secret" });
  const config = replaced(withSecret, {
    "/var/lib/dag": join(folder.path, "data"),
    "127.0.0.1:9393": "127.0.0.1:0",
  });
  expect(configSchema.parse(parse(withSecret)).data).toBe(`/var/lib/${settings("StateDirectory")[0]}`);
  const path = join(folder.path, "dag.yaml");
  writeFileSync(path, config);
  const [program = "", ...args] = replaced(settings("ExecStart")[0]!, { "/etc/dag/dag.yaml": path }).split(" ");
  expect(program).toBe("/opt/dag-service/node_modules/.bin/dag-service");
  const service = folder.start(process.execPath, [main, ...args]);
  const hasLine = async (text: string) => {
    while (!service.output().includes(text)) await pause(20);
  };
  await hasLine('"msg":"listening"');
  expect(settings("ExecReload")).toEqual(["/bin/kill -HUP $MAINPID"]);
  writeFileSync(path, replaced(config, { "team-2026-11": "team-2026-12" }));
  service.signal("SIGHUP");
  await hasLine('"added":["team-2026-12"]');
  service.signal("SIGTERM");
  expect(await service.exit).toBe(0);
});
