/** Errors of the state file. */

/** The state file is damaged, or it lost what it once held. The message completes "state file FILE cannot be used: …". */
export class StateLossError extends Error {
  override readonly name = "StateLossError";
}

/** A newer service wrote the state file. The message completes "state file FILE cannot be used: …". */
export class StateVersionError extends Error {
  override readonly name = "StateVersionError";
}
