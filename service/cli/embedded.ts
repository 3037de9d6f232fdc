/** Starts a service for one command. */
import { pino } from "pino";
import { loadConfig } from "../config/load";
import { FolderInUseError } from "../config/start-error";
import { compose } from "../compose";
import type { Access } from "./access";
import { CommandError } from "./command-error";

/** Starts the service on a data folder and a free port. Disposing stops it. @throws {StartError}, or CommandError */
export async function startEmbedded(data: string): Promise<AsyncDisposable & { readonly access: Access }> {
  const { env } = process;
  // As for a service that runs: other users of the machine read nothing that it or its engines write.
  process.umask(0o077);
  const config = loadConfig({
    file: env.DAG_SERVICE_CONFIG || undefined,
    flags: { data, listen: "127.0.0.1:0" },
    environment: env,
    directory: process.cwd(),
  });
  const service = await compose({ config, log: pino({ level: "silent" }) }).catch((error: unknown) => {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new CommandError(
      `folder ${config.data} is in use by a dag-service, or by another command that has started one: name the address of that ` +
        "service with --endpoint (DAG_ENDPOINT), start one for all commands, or choose another folder with --data",
      2,
      { cause: error },
    );
  });
  const { url: endpoint, credentials } = service;
  return {
    access: { endpoint, credentials: credentials[0]!, scheme: config.signature.scheme },
    [Symbol.asyncDispose]: () => service.close(),
  };
}
