/** Standard output of the commands. */
import { writeMessage } from "./command-error";

/** Writes on standard output. Ends the process when that takes no more, as {@link watchOutput}. */
export function writeOutput(text: string): void {
  watchOutput();
  process.stdout.write(text);
}

/** Ends the process, with a message, when standard output takes no more. */
export function watchOutput(): void {
  process.stdout.off("error", endWithOutput).on("error", endWithOutput);
}

/** In silence when a reader such as `head` has enough. */
function endWithOutput({ code }: NodeJS.ErrnoException): void {
  if (code === "EPIPE") process.exit(0);
  writeMessage(`standard output cannot be written (${code}): free space where it goes, or send it elsewhere`);
  process.exit(1);
}
