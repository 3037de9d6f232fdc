/** An error of the program, which the SDK prints as its message alone. */
import { RunError } from "@pulumi/pulumi";

/** Returns an error without a stack: the SDK prints that when the error comes after the program was read to its end. */
export function runError(message: string): RunError {
  const error = new RunError(message);
  error.stack = message;
  return error;
}
