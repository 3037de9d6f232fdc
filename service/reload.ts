/** Reads the config again at SIGHUP, and replaces the key pairs. Nothing else of it changes, and queries go on. */
import type { Logger } from "pino";
import type { RunningService } from "./compose";
import type { ServiceConfig } from "./config/schema";
import { StartError } from "./config/start-error";

/**
 * Replaces the key pairs at each SIGHUP. A config that cannot be used changes nothing, and the log says why.
 *
 * @param load reads the config as the start did
 */
export function reloadOnHangup(service: RunningService, load: () => ServiceConfig, log: Logger): void {
  process.on("SIGHUP", () => {
    try {
      const { credentials } = load();
      if (credentials === undefined) {
        throw new StartError("the config has no credentials: list every key pair that the service accepts");
      }
      log.info({ ...service.replaceCredentials(credentials) }, "key pairs replaced");
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      log.error({ reason: error.message }, "key pairs not replaced");
    }
  });
}
