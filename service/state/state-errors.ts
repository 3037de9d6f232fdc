/** Errors of the state file. */

/** The state file is damaged, or it lost what it once held. The message completes "state file FILE cannot be used: …". */
export class StateLossError extends Error {
  override readonly name = "StateLossError";
}

/** The PostgreSQL server is too old. The message completes "the state's database … cannot be used: …". */
export class ServerTooOldError extends Error {
  override readonly name = "ServerTooOldError";
}

/** A newer service wrote the state file. The message completes "state file FILE cannot be used: …". */
export class StateVersionError extends Error {
  override readonly name = "StateVersionError";
}
