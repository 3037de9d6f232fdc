/** Checks the folder that `dag-service sql --output` names, so that nothing of others is replaced unasked. */
import { asFolder, formatLocation, LocationError, objectPage, outputFolder, parseLocation } from "../../contract";
import { call, RefusedError, type Access } from "./access";
import { CommandError } from "./command-error";

const remedy = "name another folder with --output, or replace what it has with --overwrite";

/**
 * Returns what to say of the result that is replaced; undefined when there is none.
 * @throws CommandError when the folder has objects that are not the result of a select, unless they may be overwritten
 */
export async function checkOutput(access: Access, text: string, overwrite: boolean): Promise<string | undefined> {
  const folder = folderOf(text);
  if (folder === undefined) return undefined;
  const path = [folder.bucket, ...folder.key.split("/")].map(encodeURIComponent).join("/");
  const answer = await orUnknown(call(access, outputFolder, "GET", `/outputs/${path}`));
  if (answer === undefined) {
    if (!overwrite) await requireEmpty(access, formatLocation(folder));
    return undefined;
  }
  const { location, queryId, others } = answer;
  if (others !== undefined && !overwrite) throw new CommandError(`${others}: ${remedy}`, 1);
  return queryId === undefined ? undefined : `replaces the result of query ${queryId} in ${location}`;
}

/** Asks a service that cannot tell whose the objects are. @throws CommandError when there are any */
async function requireEmpty(access: Access, folder: string): Promise<void> {
  const page = await orUnknown(
    call(access, objectPage, "GET", `/objects?prefix=${encodeURIComponent(folder)}&max=1`),
    "InputBucketIsNotFound",
  );
  const [first] = page?.objects ?? [];
  if (first === undefined) return;
  throw new CommandError(
    `${folder} has objects, such as ${first.location}, and this service cannot tell whose they are, because it has an older version: ${remedy}`,
    1,
  );
}

/** Returns undefined when the service does not have a path, or answers with another code that means nothing here. */
async function orUnknown<Answer>(answer: Promise<Answer>, ...codes: readonly string[]): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RefusedError && ["ResourceNotFound", ...codes].includes(error.code)) return undefined;
    throw error;
  }
}

/** Returns the folder; undefined when the text is none, which the submission refuses. */
function folderOf(text: string) {
  try {
    return asFolder(parseLocation(text));
  } catch (error) {
    if (!(error instanceof LocationError)) throw error;
    return undefined;
  }
}
