/** Reads the options of `runtime` in Pulumi.yaml. */
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";

/** The options in Pulumi.yaml: `runtime: {name: nodejs, options: {…}}`. */
export interface ProgramOptions {
  /** True when the SDK compiles TypeScript. @default true */
  typescript: boolean;
  /** The compiler's configuration file. @default tsconfig.json in the program's folder */
  tsconfig?: string;
  /** Arguments of Node.js before the program (`nodeargs`). @default none */
  nodeArguments: string[];
  /** The package manager: npm, yarn, pnpm or bun (`packagemanager`). @default npm */
  packageManager: string;
}

/** Reads the options that the engine sends with each call. */
export function readRuntimeOptions(options: Struct | undefined): ProgramOptions {
  const { typescript, tsconfig, nodeargs, packagemanager } = (options?.toJavaScript() ?? {}) as Record<string, unknown>;
  return {
    typescript: typescript !== false,
    ...(typeof tsconfig === "string" && tsconfig !== "" && { tsconfig }),
    nodeArguments: typeof nodeargs === "string" ? splitArguments(nodeargs) : [],
    packageManager: typeof packagemanager === "string" && packagemanager !== "" ? packagemanager : "npm",
  };
}

/** Splits at white space, except within quotation marks. */
function splitArguments(text: string): string[] {
  const words = text.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
