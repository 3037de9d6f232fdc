/** The record of a publication. */
import type { Column, InputFormat, Location, QueryType } from "../../../contract";

/** What a finished query wrote to its output folder. */
export interface PublishedFolder {
  readonly queryId: number;
  readonly type: QueryType;
  readonly folder: Location;
  readonly format: InputFormat;
  /** Columns of a result, or those that a split declared; null when they are not known. */
  readonly columns: readonly Column[] | null;
  /** Identifies the objects as they were published, see `published.ts`; null when they are not known. */
  readonly fingerprint: string | null;
  /** Identifies the objects wherever they are copied to; null when they are not known or have no rows. */
  readonly content: string | null;
}
