/** `dag-service put`: stores a file as an object. */
import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { LocationError, parseLocation, printableText, uploadedObject } from "../../contract";
import { accessOf, call, type AccessOptions } from "./access";
import { CommandError } from "./command-error";

export interface PutOptions extends AccessOptions {
  readonly overwrite?: boolean;
}

/** Stores the file. Returns the exit code. @param target the object, or a folder for one with the file's name */
export async function putFile(file: string, target: string, options: PutOptions): Promise<number> {
  const { bucket, key } = locationOf(target);
  const path = key === "" || key.endsWith("/") ? `${key}${basename(file)}` : key;
  const body = await read(file);
  const query = options.overwrite === true ? "?overwrite=true" : "";
  const address = `/objects/${[bucket, ...path.split("/")].map(encodeURIComponent).join("/")}${query}`;
  const { location, size } = await call(accessOf(options), uploadedObject, "PUT", address, body);
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
    if (!(await stat(file)).isFile()) throw new CommandError(`${file} is not a file: name a file to store`, 2);
    return await openAsBlob(file);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `the file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}): name another one`,
      2,
    );
  }
}
