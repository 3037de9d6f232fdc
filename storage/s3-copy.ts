/** Copies objects inside S3, whole or in parts. */
import type { Location } from "../contract";
import type { S3Connection } from "./s3-connection";
import type { StoredObject } from "./storage";

/** The largest object that one request copies; S3 answers when the copy is complete. */
export const maxCopiedBytes = 512 * 1024 ** 2;
/** S3 copies ranges of larger objects only. */
export const minRangeSourceBytes = 5 * 1024 ** 2;
/** Bytes of a part, of which an upload has at most 10,000; copies of parts run side by side. */
const partBytes = maxCopiedBytes;
const parallelParts = 4;

export const bucketAndKey = ({ bucket, key }: Location) => ({ Bucket: bucket, Key: key });

/** Copies a whole object of at most {@link maxCopiedBytes}. */
export async function copyObject({ sdk, client }: S3Connection, source: StoredObject, target: Location): Promise<void> {
  await client.send(new sdk.CopyObjectCommand({ ...bucketAndKey(target), ...sourceOf(source) }));
}

/** Copies a range that is not empty, of an object of more than {@link minRangeSourceBytes}. */
export async function copyInParts(
  { sdk, client }: S3Connection,
  source: StoredObject,
  target: Location,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<void> {
  const at = bucketAndKey(target);
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(at));
  try {
    const copyPart = async (from: number, PartNumber: number) => {
      const CopySourceRange = `bytes=${from}-${Math.min(from + partBytes, end) - 1}`;
      const { CopyPartResult } = await client.send(
        new sdk.UploadPartCopyCommand({ ...at, ...sourceOf(source), UploadId, PartNumber, CopySourceRange }),
      );
      return { PartNumber, ETag: CopyPartResult?.ETag };
    };
    const starts = Array.from(
      { length: Math.ceil((end - start) / partBytes) },
      (_, index) => start + index * partBytes,
    );
    const Parts: Awaited<ReturnType<typeof copyPart>>[] = [];
    for (let first = 0; first < starts.length; first += parallelParts) {
      const batch = starts.slice(first, first + parallelParts);
      Parts.push(...(await Promise.all(batch.map((from, index) => copyPart(from, first + index + 1)))));
    }
    await client.send(new sdk.CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } }));
  } catch (error) {
    await client.send(new sdk.AbortMultipartUploadCommand({ ...at, UploadId })).catch(() => undefined);
    throw error;
  }
}

/** Names the source, and the content that it must still have. */
function sourceOf({ location: { bucket, key }, etag }: StoredObject) {
  const CopySource = [bucket, ...key.split("/")].map(encodeURIComponent).join("/");
  return { CopySource, ...(etag !== undefined && { CopySourceIfMatch: etag }) };
}
