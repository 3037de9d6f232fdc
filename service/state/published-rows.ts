/** The rows of published folders as records; both states store them alike. */
import type { Column } from "../../contract";
import type { PublishedFolder } from "../core/ports/state";

/** A row of the table `published`. */
export interface PublishedRow extends Pick<PublishedFolder, "type" | "format" | "fingerprint" | "content"> {
  readonly query_id: number;
  readonly bucket: string;
  readonly folder: string;
  readonly columns: string | null;
}

export function publicationsRead(rows: readonly object[]): PublishedFolder[] {
  return (rows as readonly PublishedRow[]).map(({ query_id, bucket, folder, columns, ...rest }) => ({
    ...rest,
    queryId: query_id,
    folder: { bucket, key: folder },
    columns: columns === null ? null : (JSON.parse(columns) as Column[]),
  }));
}
