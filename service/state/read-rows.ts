/** The rows of what queries read as records; both states store them alike. */
import type { ReadInput, ReadRecord, Reader } from "../core/ports/read-records";
import { publicationsRead } from "./published-rows";

/** A row of the table `reads`. */
export interface ReadRow extends Pick<ReadInput, "kind" | "objects" | "bytes" | "fingerprint"> {
  readonly query_id: number;
  readonly bucket: string;
  readonly folder: string;
  readonly direct: number | boolean;
}

export const readColumns = "query_id, kind, bucket, folder, direct, objects, bytes, fingerprint";

/** The columns of a reader: those of the read, with names of their own, and those of the publication. */
export const readerColumns = `r.kind AS read_kind, r.bucket AS read_bucket, r.folder AS read_folder, r.direct AS read_direct,
  r.objects AS read_objects, r.bytes AS read_bytes, r.fingerprint AS read_fingerprint,
  p.query_id, p.type, p.bucket, p.folder, p.format, p.columns, p.fingerprint, p.content`;

export function readsOf(rows: readonly object[]): ReadRecord[] {
  return (rows as readonly ReadRow[]).map(
    ({ query_id, bucket, folder, direct, kind, objects, bytes, fingerprint }) => ({
      queryId: query_id,
      kind,
      folder: { bucket, key: folder },
      isDirect: Boolean(direct),
      objects,
      bytes,
      fingerprint,
    }),
  );
}

export function readersOf(rows: readonly object[]): Reader[] {
  const names = ["kind", "bucket", "folder", "direct", "objects", "bytes", "fingerprint"] as const;
  return (rows as readonly Record<string, unknown>[]).map((row) => {
    const given = Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith("read_")));
    const read = Object.fromEntries(names.map((name) => [name, row[`read_${name}`]]));
    return { read: readsOf([{ ...read, query_id: row["query_id"] }])[0]!, published: publicationsRead([given])[0]! };
  });
}
