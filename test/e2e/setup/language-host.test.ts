/** Tests the bundled language host in its own process over gRPC, as the CLI starts it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { credentials, type ServiceError, status } from "@grpc/grpc-js";
import { LanguageRuntimeClient } from "@pulumi/pulumi/proto/language_grpc_pb.js";
import * as language from "@pulumi/pulumi/proto/language_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

const root = resolve(__dirname, "../../..");
let installed: string;
let program: string;
let host: ChildProcess;
let client: LanguageRuntimeClient;

beforeAll(() => {
  installed = mkdtempSync(join(tmpdir(), "language-host-"));
  execFileSync(process.execPath, [join(root, "tools/language-host/install-plugins.mjs"), installed]);
});
afterAll(() => rmSync(installed, { recursive: true }));

beforeEach(async () => {
  program = mkdtempSync(join(tmpdir(), "program-"));
  mkdirSync(join(program, "node_modules/@pulumi"), { recursive: true });
  symlinkSync(join(root, "node_modules/@pulumi/pulumi"), join(program, "node_modules/@pulumi/pulumi"));
  host = spawn(join(installed, "bin/pulumi-language-nodejs"), ["--logtostderr", "-v=9", "127.0.0.1:1"], {
    cwd: program,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [port] = (await once(createInterface({ input: host.stdout as NodeJS.ReadableStream }), "line")) as [string];
  client = new LanguageRuntimeClient(`127.0.0.1:${port}`, credentials.createInsecure());
});
afterEach(async () => {
  client.close();
  host.stdin?.end();
  if (host.exitCode === null) await once(host, "exit");
  rmSync(program, { recursive: true });
});

/** Replaces the SDK's runner, so that a run needs no engine. */
function placeRunner(source: string): void {
  rmSync(join(program, "node_modules/@pulumi/pulumi"));
  const folder = join(program, "node_modules/@pulumi/pulumi/cmd/run");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.js"), source);
}

function runRequest(): language.RunRequest {
  const request = new language.RunRequest();
  request
    .setPwd(program)
    .setProject("p")
    .setStack("dev")
    .setDryrun(true)
    .setParallel(8)
    .setMonitorAddress("127.0.0.1:2");
  request.setArgsList(["a", "b c"]).setConfigsecretkeysList(["p:key"]).setOrganization("org");
  request.getConfigMap().set("p:key", "value");
  return request.setInfo(
    new language.ProgramInfo().setProgramDirectory(program).setRootDirectory("/root").setEntryPoint("."),
  );
}

function run(request: language.RunRequest): Promise<language.RunResponse> {
  return new Promise((resolved, rejected) => {
    client.run(request, (error: ServiceError | null, response: language.RunResponse) =>
      error ? rejected(error) : resolved(response),
    );
  });
}

describe("run", () => {
  test("passes the engine's arguments to the SDK's runner", async () => {
    const file = join(program, "seen.json");
    placeRunner(`require("fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify({
      args: process.argv.slice(2), cwd: process.cwd(), config: process.env.PULUMI_CONFIG,
      secrets: process.env.PULUMI_CONFIG_SECRET_KEYS, typescript: process.env.PULUMI_NODEJS_TYPESCRIPT }))`);
    const response = await run(runRequest());
    expect(response.toObject()).toEqual({ error: "", bail: false });
    const seen = JSON.parse(readFileSync(file, "utf8"));
    expect(seen).toMatchObject({ config: '{"p:key":"value"}', secrets: '["p:key"]', typescript: "true" });
    expect(seen.args).toEqual([
      "--monitor",
      "127.0.0.1:2",
      "--engine",
      "127.0.0.1:1",
      "--organization",
      "org",
      "--project",
      "p",
      "--root-directory",
      "/root",
      "--stack",
      "dev",
      "--pwd",
      program,
      "--query-mode",
      "false",
      "--parallel",
      "8",
      "--dry-run",
      ".",
      "a",
      "b c",
    ]);
  });

  test("bails when the runner has already reported the error", async () => {
    placeRunner("process.exit(32)");
    expect((await run(runRequest())).toObject()).toEqual({ error: "", bail: true });
  });

  test("reports the exit code of any other failed program", async () => {
    placeRunner("process.exit(7)");
    expect((await run(runRequest())).getError()).toBe("Program exited with non-zero exit code: 7");
  });

  test("reports the signal of a killed program", async () => {
    placeRunner("process.kill(process.pid, 'SIGKILL')");
    expect((await run(runRequest())).getError()).toContain("SIGKILL");
  });

  test("names the remedy when the SDK is not installed", async () => {
    rmSync(join(program, "node_modules"), { recursive: true });
    expect((await run(runRequest())).getError()).toContain("npm install");
  });

  test("uses the program's own Node options", async () => {
    placeRunner("process.exit(process.execArgv.includes('--no-warnings') ? 0 : 1)");
    const request = runRequest();
    const { Struct } = await import("google-protobuf/google/protobuf/struct_pb.js");
    request.getInfo()?.setOptions(Struct.fromJavaScript({ nodeargs: "--no-warnings" }));
    expect((await run(request)).getError()).toBe("");
  });
});

describe("cancel", () => {
  test("ends the program, and the run bails", async () => {
    const started = join(program, "started");
    placeRunner(`require("fs").writeFileSync(${JSON.stringify(started)}, ""); setInterval(() => {}, 1000)`);
    const running = run(runRequest());
    while (!existsSync(started)) await sleep(20);
    await new Promise((resolved, rejected) => {
      client.cancel(new Empty(), (error: ServiceError | null) => (error ? rejected(error) : resolved(undefined)));
    });
    expect((await running).toObject()).toEqual({ error: "", bail: true });
  });
});

describe("the host's end", () => {
  test("ends the program too", async () => {
    const pidFile = join(program, "pid");
    placeRunner(
      `require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`,
    );
    const running = run(runRequest()).catch((error: ServiceError) => error.code);
    while (!existsSync(pidFile)) await sleep(20);
    await sleep(50);
    const pid = Number(readFileSync(pidFile, "utf8"));
    host.stdin?.end();
    await once(host, "exit");
    expect(await running).toBe(status.UNAVAILABLE);
    while (isRunning(pid)) await sleep(20);
    expect(isRunning(pid)).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("other requests", () => {
  test("getPluginInfo: returns the version of the SDK", async () => {
    const version = await new Promise<string>((resolved, rejected) => {
      client.getPluginInfo(new Empty(), (error: ServiceError | null, info: { getVersion(): string }) =>
        error ? rejected(error) : resolved(info.getVersion()),
      );
    });
    const manifest = JSON.parse(readFileSync(join(root, "node_modules/@pulumi/pulumi/package.json"), "utf8"));
    expect(version).toBe(manifest.version);
  });

  test("about: names an existing Node executable", async () => {
    const about = await new Promise<language.AboutResponse>((resolved, rejected) => {
      client.about(new language.AboutRequest(), (error: ServiceError | null, response: language.AboutResponse) =>
        error ? rejected(error) : resolved(response),
      );
    });
    expect(execFileSync(about.getExecutable(), ["--version"], { encoding: "utf8" }).trim()).toBe(about.getVersion());
  });

  test("generatePackage: is not implemented, and the error says which host does it", async () => {
    const error = await new Promise<ServiceError | null>((resolved) => {
      client.generatePackage(new language.GeneratePackageRequest(), resolved);
    });
    expect(error?.code).toBe(status.UNIMPLEMENTED);
    expect(error?.details).toMatch(/generates no code: pulumi package add.* needs the official one.*Install Pulumi/);
  });

  test("runPlugin: passes on output and exit code", async () => {
    rmSync(join(program, "node_modules/@pulumi/pulumi"));
    mkdirSync(join(program, "node_modules/@pulumi/pulumi/cmd/run-plugin"), { recursive: true });
    writeFileSync(
      join(program, "node_modules/@pulumi/pulumi/cmd/run-plugin/index.js"),
      "console.log(process.env.MARK, process.argv.at(-1)); console.error('wrong'); process.exitCode = 3",
    );
    const request = new language.RunPluginRequest()
      .setPwd(program)
      .setArgsList(["127.0.0.1:1"])
      .setEnvList(["MARK=a=b"])
      .setInfo(new language.ProgramInfo().setProgramDirectory(program).setEntryPoint("."));
    let stdout = "";
    let stderr = "";
    let exitCode = -1;
    const stream = client.runPlugin(request);
    stream.on("data", (response: language.RunPluginResponse) => {
      if (response.hasStdout()) stdout += Buffer.from(response.getStdout_asU8());
      else if (response.hasStderr()) stderr += Buffer.from(response.getStderr_asU8());
      else exitCode = response.getExitcode();
    });
    await once(stream, "end");
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: "a=b 127.0.0.1:1\n", stderr: "wrong\n", exitCode: 3 });
  });
});

describe("the installed language host", () => {
  test("is self-contained: nothing in it points to the repository", () => {
    for (const file of ["bin/pulumi-language-nodejs", "bin/pulumi-resource-pulumi-nodejs"]) {
      expect(readFileSync(join(installed, file), "utf8"), file).not.toContain(root);
    }
    expect(lstatSync(join(installed, "node/bin/node")).isSymbolicLink()).toBe(false);
  });

  test.each([
    ["too old", "exit 1"],
    ["new enough", `exec ${process.execPath} "$@"`],
  ])("dynamic providers run on a Node that is new enough, where the one on PATH is %s", (_, node) => {
    rmSync(join(program, "node_modules/@pulumi/pulumi"));
    const folder = join(program, "node_modules/@pulumi/pulumi/cmd/dynamic-provider");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "index.js"), "console.log(process.version, process.argv.slice(2).join())");
    mkdirSync(join(program, "path"));
    writeFileSync(join(program, "path/node"), `#!/bin/sh\n${node}\n`, { mode: 0o755 });
    const printed = execFileSync(join(installed, "bin/pulumi-resource-pulumi-nodejs"), ["127.0.0.1:1"], {
      cwd: program,
      env: { PATH: `${join(program, "path")}:/usr/bin:/bin` },
      encoding: "utf8",
    });
    expect(printed).toBe(`${process.version} 127.0.0.1:1\n`);
  });
});
