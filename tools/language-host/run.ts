/** Runs one program to its end: the SDK's own runner in a process of its own. */
import { RunResponse, type RunRequest } from "@pulumi/pulumi/proto/language_pb.js";
import { ended, startChild } from "./children";
import { nodeForPrograms, resolveFrom } from "./node-program";
import { type ProgramOptions, readOptions } from "./options";

/** The SDK's runner ends with it when it has told the user itself what went wrong. */
const exitedAfterTellingTheUser = 32;

/**
 * Runs a program.
 *
 * @param request what to run, for which stack, against which resource monitor
 * @param engineAddress where the program logs to
 * @param isCancelled whether the engine has asked to stop, which explains a program that ends by a signal
 * @returns `bail` where the user has been told already, else the error if there was one
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
      `The Pulumi SDK is not installed for ${folder}. Run \`pulumi install\` or \`npm install\` there.`,
    );
  }
  const options = readOptions(info?.getOptions());
  const child = startChild(
    nodeForPrograms(),
    [...options.nodeArguments, runner, ...runnerArguments(request, engineAddress)],
    {
      cwd: request.getPwd() || folder,
      env: { ...process.env, ...programEnvironment(request, options) },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  const { code, signal } = await ended(child);
  if (code === 0) return response;
  if (code === exitedAfterTellingTheUser || isCancelled()) return response.setBail(true);
  return response.setError(
    signal ? `The program was ended by ${signal}.` : `Program exited with non-zero exit code: ${code}`,
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
