/** Runs one program to its end, with the SDK's own runner in a process of its own. */
import { RunResponse, type RunRequest } from "@pulumi/pulumi/proto/language_pb.js";
import { waitForExit, startChild } from "./children";
import { nodeForPrograms, resolveFrom } from "./node-program";
import { type ProgramOptions, readRuntimeOptions } from "./runtime-options";

/** The exit code of the SDK's runner when it has already reported the error to the user. */
const errorAlreadyReported = 32;

/**
 * Runs a program.
 *
 * @param request the program, its stack and the address of the resource monitor
 * @param engineAddress gRPC address for the program's log
 * @param isCancelled returns true when the engine has cancelled the run, which ends the program by a signal
 * @returns `bail` when the error was already reported to the user; the error, if any, otherwise
 */
export async function runProgram(
  request: RunRequest,
  engineAddress: string,
  isCancelled: () => boolean,
): Promise<RunResponse> {
  const info = request.getInfo();
  const folder = info?.getProgramDirectory() || request.getPwd();
  const runner = resolveFrom(folder, "@pulumi/pulumi/cmd/run");
  const response = new RunResponse();
  if (!runner) {
    return response.setError(
      `The Pulumi SDK (@pulumi/pulumi) is not installed in ${folder}. Run \`pulumi install\` or \`npm install\` there.`,
    );
  }
  const options = readRuntimeOptions(info?.getOptions());
  const child = startChild(
    nodeForPrograms(),
    [...options.nodeArguments, runner, ...runnerArguments(request, engineAddress)],
    {
      cwd: request.getPwd() || folder,
      env: { ...process.env, ...programEnvironment(request, options) },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  const { code, signal } = await waitForExit(child);
  if (code === 0) return response;
  if (code === errorAlreadyReported || isCancelled()) return response.setBail(true);
  return response.setError(
    signal ? `The program was ended by signal ${signal}.` : `Program exited with non-zero exit code: ${code}`,
  );
}

function runnerArguments(request: RunRequest, engineAddress: string): string[] {
  const info = request.getInfo();
  const named = {
    monitor: request.getMonitorAddress(),
    engine: engineAddress,
    organization: request.getOrganization(),
    project: request.getProject(),
    "root-directory": info?.getRootDirectory() ?? "",
    stack: request.getStack(),
    pwd: request.getPwd(),
    "query-mode": String(request.getQuerymode()),
    parallel: String(request.getParallel()),
  };
  return [
    ...Object.entries(named).flatMap(([name, value]) => (value === "" ? [] : [`--${name}`, value])),
    ...(request.getDryrun() ? ["--dry-run"] : []),
    info?.getEntryPoint() || request.getProgram() || ".",
    ...request.getArgsList(),
  ];
}

function programEnvironment(request: RunRequest, { typescript, tsconfig }: ProgramOptions): Record<string, string> {
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().entries())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    PULUMI_NODEJS_TYPESCRIPT: String(typescript),
    ...(tsconfig && { PULUMI_NODEJS_TSCONFIG_PATH: tsconfig }),
  };
}
