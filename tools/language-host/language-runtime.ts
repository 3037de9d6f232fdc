/** The gRPC methods of the language host. Methods that only the official host has are UNIMPLEMENTED. */
import { execFileSync } from "node:child_process";
import { type sendUnaryData, type ServerUnaryCall, type ServerWritableStream, status } from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import * as language from "@pulumi/pulumi/proto/language_pb.js";
import * as plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import { version as sdkVersion } from "@pulumi/pulumi/package.json";
import { waitForExit, startChild, stopChildren } from "./children";
import { dependenciesOf, requiredPlugins, type RequiredPlugin } from "./dependencies";
import { nodeForPrograms, resolveFrom } from "./node-program";
import { readRuntimeOptions } from "./runtime-options";
import { runProgram } from "./run-program";

/** Returns the methods of `pulumirpc.LanguageRuntime`; the gRPC server refuses calls of all other methods. */
export function languageRuntime(initialEngineAddress: string) {
  let engineAddress = initialEngineAddress;
  let cancelled = false;
  return {
    handshake: unary((request: language.LanguageHandshakeRequest) => {
      engineAddress = request.getEngineAddress() || engineAddress;
      return new language.LanguageHandshakeResponse();
    }),
    getPluginInfo: unary(() => new plugin.PluginInfo().setVersion(sdkVersion)),
    getRequiredPackages: unary((request: language.GetRequiredPackagesRequest) => {
      const packages = requiredPlugins(request.getInfo()?.getProgramDirectory() ?? process.cwd());
      return new language.GetRequiredPackagesResponse().setPackagesList(packages.map(packageDependency));
    }),
    getProgramDependencies: unary((request: language.GetProgramDependenciesRequest) => {
      const folder = request.getInfo()?.getProgramDirectory() ?? request.getPwd();
      const found = dependenciesOf(folder, request.getTransitivedependencies());
      return new language.GetProgramDependenciesResponse().setDependenciesList(
        found.map(({ name, version }) => new language.DependencyInfo().setName(name).setVersion(version)),
      );
    }),
    about: unary(() => {
      const node = nodeForPrograms();
      const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
      return new language.AboutResponse().setExecutable(node).setVersion(version);
    }),
    run: unary((request: language.RunRequest) => runProgram(request, engineAddress, () => cancelled)),
    runPlugin: stream(runPlugin),
    installDependencies: stream(installDependencies),
    generatePackage: unimplemented("pulumi package add, pulumi package gen-sdk"),
    generateProgram: unimplemented("pulumi convert"),
    generateProject: unimplemented("pulumi convert"),
    pack: unimplemented("pulumi package pack-sdk"),
    cancel: unary(() => {
      cancelled = true;
      stopChildren("SIGTERM");
      return new Empty();
    }),
  };
}

/** Runs a plugin written for Node.js (a folder with PulumiPlugin.yaml) until it ends or the engine cancels the call. */
async function runPlugin(call: ServerWritableStream<language.RunPluginRequest, language.RunPluginResponse>) {
  const { request } = call;
  const info = request.getInfo();
  const folder = info?.getProgramDirectory() ?? request.getPwd();
  const runner = resolveFrom(folder, "@pulumi/pulumi/cmd/run-plugin");
  if (!runner)
    throw new Error(`The Pulumi SDK (@pulumi/pulumi) is not installed in ${folder}. Run \`npm install\` there.`);
  const options = readRuntimeOptions(info?.getOptions());
  const program = info?.getEntryPoint() && info.getEntryPoint() !== "." ? info.getEntryPoint() : folder;
  const child = startChild(nodeForPrograms(), [...options.nodeArguments, runner, program, ...request.getArgsList()], {
    cwd: request.getPwd() || folder,
    env: { ...process.env, ...Object.fromEntries(request.getEnvList().map(splitPair)) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  call.once("cancelled", () => child.kill("SIGTERM"));
  child.stdout?.on("data", (data: Buffer) => call.write(new language.RunPluginResponse().setStdout(data)));
  child.stderr?.on("data", (data: Buffer) => call.write(new language.RunPluginResponse().setStderr(data)));
  const { code } = await waitForExit(child);
  call.write(new language.RunPluginResponse().setExitcode(code ?? 1));
}

/** Runs the package manager's `install` in the program's folder, for `pulumi install`. */
async function installDependencies(
  call: ServerWritableStream<language.InstallDependenciesRequest, language.InstallDependenciesResponse>,
) {
  const { request } = call;
  const folder = request.getInfo()?.getProgramDirectory() || request.getDirectory();
  const { packageManager } = readRuntimeOptions(request.getInfo()?.getOptions());
  const child = startChild(packageManager, ["install"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  call.once("cancelled", () => child.kill("SIGTERM"));
  child.stdout?.on("data", (data: Buffer) => call.write(new language.InstallDependenciesResponse().setStdout(data)));
  child.stderr?.on("data", (data: Buffer) => call.write(new language.InstallDependenciesResponse().setStderr(data)));
  const { code } = await waitForExit(child);
  if (code !== 0) throw new Error(`${packageManager} install failed in ${folder} (exit code ${code})`);
}

function packageDependency({ name, version, server, parameterization }: RequiredPlugin): plugin.PackageDependency {
  const dependency = new plugin.PackageDependency().setName(name).setKind("resource").setVersion(version);
  if (parameterization) {
    dependency.setParameterization(
      new plugin.PackageParameterization()
        .setName(parameterization.name)
        .setVersion(parameterization.version)
        .setValue(parameterization.value),
    );
  }
  return dependency.setServer(server);
}

function unary<Request, Response>(answer: (request: Request) => Response | Promise<Response>) {
  return async (call: ServerUnaryCall<Request, Response>, reply: sendUnaryData<Response>): Promise<void> => {
    try {
      reply(null, await answer(call.request));
    } catch (error) {
      reply({ code: status.UNKNOWN, message: messageOf(error) });
    }
  };
}

/** Refuses a method that the commands need and only the official host has. */
function unimplemented(commands: string) {
  const message =
    `this language host (${__filename}) runs programs, and generates no code: ${commands} needs the official one. ` +
    `Install Pulumi's own CLI (https://www.pulumi.com/docs/install/), and put it before this one on PATH`;
  return (_call: unknown, reply: (error: { readonly code: status; readonly message: string }) => void): void =>
    reply({ code: status.UNIMPLEMENTED, message });
}

function stream<Request, Response>(work: (call: ServerWritableStream<Request, Response>) => Promise<void>) {
  return async (call: ServerWritableStream<Request, Response>): Promise<void> => {
    try {
      await work(call);
      call.end();
    } catch (error) {
      call.destroy(Object.assign(new Error(messageOf(error)), { code: status.UNKNOWN }));
    }
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf("=");
  return [pair.slice(0, at), pair.slice(at + 1)];
}
