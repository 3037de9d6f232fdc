/** Messages of the commands on standard error. */
import { printableText } from "../../contract";

/** Writes a message of the program on standard error. It shows control characters, which a terminal would obey. */
export function writeMessage(message: string): void {
  process.stderr.write(`dag-service: ${printableText(message)}\n`);
}

/** Ends a command with a message and an exit code. */
export class CommandError extends Error {
  override readonly name = "CommandError";

  constructor(
    message: string,
    /** 1: the service refused or the query failed; 2: the service cannot be called. */
    readonly exitCode: 1 | 2,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
