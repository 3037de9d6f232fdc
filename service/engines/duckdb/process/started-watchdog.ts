/** Starts the watchdog of an engine process when it is imported. */
import { startWatchdog } from "./watchdog";

/** Tells the watchdog that a request begins; the request ends when the result is disposed of. */
export const beginRequest = startWatchdog();
