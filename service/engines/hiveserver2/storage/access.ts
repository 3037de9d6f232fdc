/** Says that a server cannot use the storage, which it reaches with settings of its own. */
import { errors } from "../../../../contract";
import type { HiveServerError } from "../client/errors";

/** In the servers' messages: no file system for the URLs, no or other credentials, a folder that cannot be written. */
const accessProblems =
  /No FileSystem for scheme|org\.apache\.hadoop\.fs\.s3a|AccessDeniedException|NoAuthWithAWS|\bAWS\w*Exception|\(Service: (?:Amazon )?S3|Error creating \w+:\/\//;

/** Returns true when a server has refused something because it cannot use the storage, and not for the statement. */
export const isAccessProblem = ({ message }: HiveServerError) => accessProblems.test(message);

/** Returns the error of a query whose server cannot use the storage. @param reason the server's */
export function accessError(product: string, reason: string) {
  return new errors.StorageAccessError(
    `the ${product} server cannot use the storage: ${reason}: give the server the file system, the endpoint and the credentials that docs/scale/hiveserver2-clusters.md lists`,
  );
}
