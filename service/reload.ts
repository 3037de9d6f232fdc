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
      // Thrown from here, any other error would end the service, too.
      const reason = error instanceof StartError ? error.message : "the config cannot be used";
      log.error({ reason, ...(!(error instanceof StartError) && { err: error }) }, "key pairs not replaced");
    }
  });
}
