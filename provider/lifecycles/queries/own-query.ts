/**
 * Whether a query is the one that a resource has submitted. At another endpoint, and in new data of the service, another
 * query may have its ID.
 */
import { errors, type QueryRecord } from "../../../contract";
import { folderOf, outputOf } from "./results";

/** What a state tells of the query that made it. */
export interface MadeBy {
  /** The folder that the query writes. */
  readonly location?: string | undefined;
  /** Empty when no record of the query was seen. */
  readonly startTime?: string | undefined;
}

/** The service has no longer the record of a resource's query: its ID is that of another one. */
class OtherQueryError extends errors.QueryNotFound {}

/** Returns true unless a record tells another folder or time than the state of a resource. */
export function isOwnQuery(record: QueryRecord, { location, startTime }: MadeBy): boolean {
  if (startTime && record.startTime !== startTime) return false;
  if (location === undefined) return true;
  const [output, folder] = [outputOf(record), folderOf(location)];
  return output.bucket === folder.bucket && output.key === folder.key;
}

/** Returns the record of a resource's query. @throws {@link OtherQueryError} for that of another one */
export function requireOwnQuery<Own extends QueryRecord>(record: Own, made: MadeBy | undefined): Own {
  if (made === undefined || isOwnQuery(record, made)) return record;
  throw new OtherQueryError(`query ${record.id} is another one now`);
}

/** Completes a message that says that the record is no longer there. */
export const otherQuery = ", whose ID is that of another query: the endpoint or the service's data has changed";

/** Returns true for the error that says that an ID is that of another query. */
export const isOtherQuery = (error: unknown) => error instanceof OtherQueryError;

/** Says why a record is no longer there, when its ID is that of another query. */
export const otherQueryText = (error: unknown) => (isOtherQuery(error) ? otherQuery : "");
