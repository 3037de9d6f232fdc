/** The options of `runtime` in a Pulumi.yaml. */
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";

/** Pulumi.yaml: `runtime: {name: nodejs, options: {…}}`. */
export interface ProgramOptions {
  /** Whether the SDK compiles TypeScript. @default true */
  typescript: boolean;
  /** The compiler's settings file. @default tsconfig.json in the program's folder */
  tsconfig?: string;
  /** Arguments for Node itself, before the program (`nodeargs`). @default none */
  nodeArguments: string[];
  /** What installs packages: npm, yarn, pnpm or bun (`packagemanager`). @default npm */
  packageManager: string;
}

/** Reads the options that the engine passes on. */
export function readOptions(options: Struct | undefined): ProgramOptions {
  const { typescript, tsconfig, nodeargs, packagemanager } = (options?.toJavaScript() ?? {}) as Record<string, unknown>;
  return {
    typescript: typescript !== false,
    ...(typeof tsconfig === "string" && tsconfig !== "" && { tsconfig }),
    nodeArguments: typeof nodeargs === "string" ? splitArguments(nodeargs) : [],
    packageManager: typeof packagemanager === "string" && packagemanager !== "" ? packagemanager : "npm",
  };
}

/** Splits at blanks, except within quotation marks. */
function splitArguments(text: string): string[] {
  const words = text.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
