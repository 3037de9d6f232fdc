/** The output folder of a query. */
import { asFolder, parseLocation, type Location } from "../../../contract";
import type { AcceptedQuery } from "../ports/state";

/** Returns the folder that a query replaces or creates. */
export function outputFolder(query: AcceptedQuery): Location {
  return query.type === "select"
    ? asFolder(parseLocation(query.outputResourcePath))
    : { bucket: query.outputDatabase, key: `${query.outputTable}/` };
}
