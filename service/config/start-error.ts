/** Thrown when the config cannot be served. `main.ts` prints the message as one line and exits with {@link exitCode}. */
export class StartError extends Error {
  override readonly name: string = "StartError";
  /** 2: another start would say the same. */
  readonly exitCode: 1 | 2 = 2;

  /** @param message what is wrong and what to do; line breaks become spaces. */
  constructor(message: string, options?: ErrorOptions) {
    super(message.replace(/\s*\n\s*/g, " "), options);
  }
}

/** The same while a later start may succeed: another server does not answer yet, or the disk is full. */
export class TemporaryStartError extends StartError {
  override readonly name = "TemporaryStartError";
  override readonly exitCode = 1;
}

/** Another service uses the data folder. */
export class FolderInUseError extends StartError {
  override readonly name = "FolderInUseError";
}
