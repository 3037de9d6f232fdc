/** Thrown when the config cannot be served. `main.ts` prints the message as one line and exits with code 2. */
export class StartError extends Error {
  override readonly name = "StartError";

  /** @param message what is wrong and what to do; line breaks become spaces. */
  constructor(message: string, options?: ErrorOptions) {
    super(message.replace(/\s*\n\s*/g, " "), options);
  }
}
