/** Reads sample rows of objects on S3 for the console. */
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { S3Storage } from "../../../../storage/s3";
import type { Inspection } from "../../../core/ports/inspection";
import { sampleErrors } from "../inspect";
import { sampleRows } from "../tables/sample";
import { S3EngineFiles } from "./files";

/** Objects of a folder that are read. */
const maxFiles = 10;
/** Maximum bytes that are copied for one sample: the beginnings of the objects. */
const maxBytes = 64 * 1024 * 1024;

/** Creates the function that reads the first rows of a folder. @param directory for copies, which are deleted */
export function sampleOfS3(storage: S3Storage, directory: string): Inspection["sample"] {
  return async (source, limit) => {
    const copies = join(directory, randomUUID());
    const files = new S3EngineFiles({ storage, directory: copies, maxBytes });
    const { signal } = new AbortController();
    try {
      const found = await files.objects(source.location, signal, ({ length }) => length >= maxFiles);
      const table = { database: "", table: "", format: source.format, checked: false, files: found };
      return await sampleErrors(source, found, async () => {
        const { table: first, isCut } = await files.firstRows(table, signal);
        await files.provide(first, "whole", signal);
        const { isTruncated, ...sample } = await sampleRows(source, first.files, limit);
        return { ...sample, isTruncated: isTruncated || isCut };
      });
    } finally {
      await rm(copies, { recursive: true, force: true });
    }
  };
}
