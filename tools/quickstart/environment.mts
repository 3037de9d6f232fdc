/** The environment variables of Pulumi and the program; they keep secrets out of the stack's configuration. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { QuickstartFolder } from "./folder.mts";

/** The service's endpoint and the key pair of its user. */
export interface ServiceAccess {
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Returns this process's environment without the DAG_ variables, which may point to another service of the user. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("DAG_")));
}

/**
 * Returns the environment variables of Pulumi and the program.
 *
 * @param folder of the quickstart
 * @param service its endpoint and key pair
 */
export function programEnvironment(folder: QuickstartFolder, service: ServiceAccess): Record<string, string> {
  return {
    DAG_ENDPOINT: service.url,
    DAG_ACCESS_KEY_ID: service.accessKeyId,
    DAG_SECRET_ACCESS_KEY: service.secretAccessKey,
    DAG_STORAGE: `file:${join(folder.data, "buckets")}`,
    PULUMI_BACKEND_URL: pathToFileURL(folder.state).href,
    PULUMI_CONFIG_PASSPHRASE: passphrase(folder),
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
}

/**
 * Writes a shell script for `source` that sets the environment for manual use.
 *
 * @param folder of the quickstart
 * @param environment of the program
 * @param cli folder of the Pulumi CLI
 * @param endpoint of the service. @default its default address, where `npm run service` starts it
 */
export function writeEnvironmentFile(
  folder: QuickstartFolder,
  environment: Record<string, string>,
  cli: string,
  endpoint = "http://127.0.0.1:9393",
): void {
  const values = { ...environment, DAG_ENDPOINT: endpoint };
  const lines = Object.entries(values).map(([name, value]) => `export ${name}=${quote(value)}`);
  const path = `export PATH=${quote(`${cli}:${dirname(process.execPath)}`)}:"$PATH"`;
  writeFileSync(folder.environment, [...lines, path, ""].join("\n"), { mode: 0o600 });
}

function passphrase({ passphrase: file }: QuickstartFolder): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("base64url"), { mode: 0o600, flag: "wx" });
  return readFileSync(file, "utf8");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
