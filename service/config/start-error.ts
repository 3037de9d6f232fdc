/** The service cannot start as it is asked to. `main.ts` writes the message as one line and exits with code 2. */
export class StartError extends Error {
  override readonly name = "StartError";

  /** @param message what is wrong and what to do about it; its lines become one. */
  constructor(message: string, options?: ErrorOptions) {
    super(message.replace(/\s*\n\s*/g, " "), options);
  }
}
