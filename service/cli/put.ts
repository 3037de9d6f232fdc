/** `dag-service put`: stores a file as an object. */
import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { formatLocation, LocationError, parseLocation, printableText, uploadedObject } from "../../contract";
import { accessOf, call, lostAnswerOf, type AccessOptions } from "./access";
import { CommandError } from "./command-error";

export interface PutOptions extends AccessOptions {
  readonly overwrite?: boolean;
}

/** Stores the file. Returns the exit code. @param target the object, or a folder for one with the file's name */
export async function putFile(file: string, target: string, options: PutOptions): Promise<number> {
  const { bucket, key } = locationOf(target);
  const body = await read(file);
  const object = { bucket, key: key === "" || key.endsWith("/") ? `${key}${basename(file)}` : key };
  // The name of the file may be none of an object.
  locationOf(formatLocation(object));
  const path = `/objects/${[bucket, ...object.key.split("/")].map(encodeURIComponent).join("/")}`;
  const address = options.overwrite === true ? `${path}?overwrite=true` : path;
  const access = accessOf(options);
  const { location, size } = await call(access, uploadedObject, "PUT", address, body).catch((error: unknown) => {
    const reason = lostAnswerOf(error);
    if (reason === undefined) throw error;
    throw new CommandError(
      `${file} was sent to ${access.endpoint}, and the answer was lost (${reason}): it may have been stored as ${formatLocation(object)}. Look at that object, as with GET ${path}, or run the command again with --overwrite`,
      1,
      { cause: error },
    );
  });
  process.stdout.write(`${printableText(location)} ${size}\n`);
  return 0;
}

function locationOf(target: string) {
  try {
    return parseLocation(target);
  } catch (error) {
    if (!(error instanceof LocationError)) throw error;
    throw new CommandError(`${target} is not a location: ${error.message}`, 2);
  }
}

async function read(file: string): Promise<Blob> {
  try {
    const found = await stat(file);
    if (found.isFile()) return await openAsBlob(file);
    if (!found.isDirectory()) throw pipeError(file);
    throw new CommandError(`${file} is not a file: name a file to store`, 2);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (file === "-" && code === "ENOENT") throw pipeError(file);
    throw new CommandError(`the file ${file} cannot be read (${code}): name another one`, 2);
  }
}

function pipeError(file: string): CommandError {
  return new CommandError(
    `${file} is not a file: standard input, pipes and devices cannot be stored: write what they give to a file, and name that`,
    2,
  );
}
