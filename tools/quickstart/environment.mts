/** What Pulumi and the program need to know, as environment variables: nothing secret gets into the state that way. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Folder } from "./folder.mts";
import type { RunningService } from "./service-process.mts";

/** This process's environment without settings of other services and providers that the user may work with. */
export function outsideEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("DAG_")));
}

/**
 * @param folder the quickstart's
 * @param service as it runs now
 */
export function programEnvironment(folder: Folder, service: RunningService): Record<string, string> {
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
 * Writes what to `source` for running things by hand, against the service at its usual address.
 *
 * @param folder the quickstart's
 * @param environment of the program
 * @param cli the folder of the Pulumi CLI
 */
export function writeEnvironmentFile(folder: Folder, environment: Record<string, string>, cli: string): void {
  const values = { ...environment, DAG_ENDPOINT: "http://127.0.0.1:9393" };
  const lines = Object.entries(values).map(([name, value]) => `export ${name}=${quote(value)}`);
  const path = `export PATH=${quote(`${cli}:${dirname(process.execPath)}`)}:"$PATH"`;
  writeFileSync(folder.environment, [...lines, path, ""].join("\n"), { mode: 0o600 });
}

function passphrase({ passphrase: file }: Folder): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("base64url"), { mode: 0o600, flag: "wx" });
  return readFileSync(file, "utf8");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
