/**
 * Buckets on S3, which the servers reach with credentials of their own. What a server writes stays where it is until the
 * result is published: the objects of the result are listed as ranges, which S3 copies then, and only once.
 */
import { isHiddenObject, type Location } from "../../../../contract";
import type { S3Storage } from "../../../../storage/s3";
import { readRanges } from "../../../../storage/read-s3-ranges";
import { writeRanges } from "../../../../storage/s3-ranges";
import type { StoredObject } from "../../../../storage/storage";
import type { JobContext } from "../../../core/ports/engine";
import type { LocalWork } from "../local-work";
import { cutResult, missingResult, objectName, type ServerStorage, type WrittenResult } from "./server-storage";

/** The buckets of an S3 server. */
export interface S3Buckets {
  readonly s3: Pick<S3Storage, "deleteFolder" | "deleteUploads" | "folders" | "head" | "list" | "read" | "write">;
  /** The scheme of the URLs by which the servers know objects, such as `s3a`. */
  readonly scheme: string;
}

export class S3ServerStorage implements ServerStorage {
  constructor(private readonly buckets: S3Buckets) {}

  urlOf({ bucket, key }: Location): string {
    return `${this.buckets.scheme}://${bucket}/${key}`.replace(/\/$/, "");
  }

  /** Hidden, so that its objects are none of the result; inside the folder, so that they are deleted with it. */
  attemptFolder({ bucket, key }: Location, name: string): Location {
    return { bucket, key: `${key}_attempt-${name}/` };
  }

  async store(result: WrittenResult, local: LocalWork, context: JobContext) {
    const { s3 } = this.buckets;
    const { output, attempt } = result;
    const found: StoredObject[] = [];
    let isWritten = false;
    for await (const object of s3.list(attempt)) {
      isWritten = true;
      if (object.size > 0 && !isHiddenObject(object.location.key.slice(attempt.key.length))) found.push(object);
    }
    if (!isWritten) await this.#requireFolder(result);
    const bytes = found.reduce((sum, { size }) => sum + size, 0);
    if (found.length === 0) {
      await s3.write({ bucket: output.bucket, key: output.key + objectName(0) }, "");
      return { objects: 1, bytes };
    }
    if (found.some(({ size }) => size > result.objectBytes)) {
      const inputs = found.map(({ location }) => location);
      await cutResult(result, inputs, local, context);
      return { objects: (await readRanges(s3, output)).length, bytes };
    }
    const ranges = found.map(({ location: source, size, etag = null }, index) => ({
      name: objectName(index),
      source,
      sourceSize: size,
      etag,
      start: 0,
      end: size,
    }));
    await writeRanges(s3, output, ranges);
    return { objects: ranges.length, bytes };
  }

  async discard(attempt: Location): Promise<void> {
    await this.buckets.s3.deleteUploads(attempt);
    await this.buckets.s3.deleteFolder(attempt);
  }

  redact(text: string): string {
    return text.replaceAll(`${this.buckets.scheme}://`, "dag://");
  }

  /** A result without rows may be nothing but the mark of its folder, an object whose key ends in a slash. */
  async #requireFolder({ output, attempt }: WrittenResult): Promise<void> {
    const name = attempt.key.slice(output.key.length).replace(/\/$/, "");
    for await (const folder of this.buckets.s3.folders(output)) if (folder === name) return;
    throw missingResult("the server must use the same S3 as the service, with the same buckets");
  }
}
