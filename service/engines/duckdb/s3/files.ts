/**
 * The objects on S3 that a request reads, as copies in a directory of the engine process. A request that needs only the
 * columns of a table gets outlines: files of the objects' sizes that have nothing but the beginning of text, and the
 * footer of Parquet. Of Parquet objects that DuckDB reads itself (remote.ts) a select gets outlines too.
 */
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  ApiError,
  errors,
  formatLocation,
  isHiddenObject,
  parseLocation,
  type InputFormat,
  type Location,
} from "../../../../contract";
import { diskProblem } from "../../../../storage/disk-errors";
import { FileStorage } from "../../../../storage/file";
import type { S3Storage } from "../../../../storage/s3";
import type { StoredObject } from "../../../../storage/storage";
import { repeatedWhileUnanswered } from "../../../../storage/s3-patience";
import { isTransientS3Error } from "../../../../storage/s3-problems";
import { EngineError } from "../engine-errors";
import {
  type EngineFile,
  type EngineFiles,
  type EngineTable,
  type FileExtent,
  isCut,
  type ReadableFile,
  type RemoteTables,
} from "../files";
import { formatBytes } from "../process/exit";
import type { TableDefinition } from "../../../core/ports/engine";
import { decompressed, fileChunks } from "../tables/file-chunks";
import { hasWholeRows, inferredRows, readHead, unfinishedBytes } from "../tables/head";
import { forEachParallel } from "../../../../storage/parallel";
import { objectRanges } from "../../../../storage/object-ranges";
import { RemoteObjects } from "./remote";

export interface S3EngineFilesOptions {
  readonly storage: S3Storage;
  /** The data directory of the process, which does not exist yet. */
  readonly directory: string;
  /** Maximum bytes of the copies of one request. */
  readonly maxBytes: number;
  /** How DuckDB reads Parquet objects itself. @default it does not */
  readonly httpfs?: { readonly extension: string; readonly authorities: string | undefined } | undefined;
}

/** Objects that are copied at the same time, and results that are stored. */
const parallel = { reads: 16, writes: 2 } as const;
/** Attempts to read an object. */
const readAttempts = 3;
/** Bytes of the beginning of text, and of the end of Parquet, that have its columns. */
const outlineBytes = 64 * 1024;
/** Objects of text whose beginning is read for an outline. */
const outlinedObjects = 64;
/** Bytes of an object that are read for its first rows, and the largest Parquet object that is copied for them. */
const firstRows = { text: 1024 * 1024, parquet: 512 * 1024 * 1024 } as const;
/** What a file can have, from the least to the most. */
const extents: readonly FileExtent[] = ["outline", "heads", "whole"];
/** Directory of a result, which is not a bucket. */
const resultDirectory = ".result";

export class S3EngineFiles implements EngineFiles {
  /** The paths that have a file, and what is in it. */
  readonly #provided = new Map<string, FileExtent>();
  readonly #paths: FileStorage;
  #bytes = 0;
  #remote: RemoteObjects | undefined;

  constructor(private readonly options: S3EngineFilesOptions) {
    this.#paths = new FileStorage(options.directory);
  }

  tables(
    requests: readonly TableDefinition[],
    signal: AbortSignal,
    limit: number = Number.POSITIVE_INFINITY,
  ): Promise<EngineTable[]> {
    return Promise.all(
      requests.map(async ({ location, ...table }) => {
        const isEnough = (files: readonly EngineFile[]) => isCut(table, files, limit);
        return { ...table, files: await this.objects(location, signal, isEnough) };
      }),
    );
  }

  remote(tables: readonly EngineTable[], requests: readonly TableDefinition[]): RemoteTables | undefined {
    const { storage, maxBytes, httpfs } = this.options;
    this.#remote = httpfs && RemoteObjects.of(tables, requests, { storage, maxBytes, ...httpfs });
    return this.#remote;
  }

  async inputs(locations: readonly Location[], signal: AbortSignal): Promise<EngineFile[]> {
    const objects = new Map<Location, StoredObject>();
    await forEachParallel(locations, parallel.reads, async (location) => {
      signal.throwIfAborted();
      const found = await this.options.storage.head(location);
      if (!found) {
        const message = `${formatLocation(location)} does not exist`;
        throw new errors.InputObjectNotFound(message, { field: "inputObjectKeys" });
      }
      objects.set(location, found);
    });
    return locations.map((location) => this.#file(objects.get(location)!));
  }

  async provide(
    table: Pick<EngineTable, "format" | "columns" | "files" | "sampled">,
    extent: FileExtent,
    signal: AbortSignal,
  ): Promise<void> {
    const isParquet = table.format === "parquet";
    const wanted = new Map([...table.files, ...(table.sampled ?? [])].map((file) => [file.path, file]));
    const missing = [...wanted.values()].filter(({ path, size }) => {
      const found = this.#provided.get(path);
      return size > 0 && (found === undefined || extents.indexOf(found) < extents.indexOf(extent));
    });
    const isEach = isParquet || extent === "heads";
    const outlined = missing.slice(0, isEach ? missing.length : outlinedObjects);
    const hasOutline = new Set(outlined.map(({ path }) => path));
    const format = table.format === "parquet" || table.columns?.length ? undefined : table.format;
    /** Objects whose first rows, which decide the columns, are longer than an outline. */
    const long = new Set<EngineFile>();
    await forEachParallel(missing, parallel.reads, async (file) => {
      signal.throwIfAborted();
      const isRemote = file.remote !== undefined;
      if (isRemote) this.#remote?.add(file);
      if (extent === "whole" && !isRemote) await this.#copy(file, signal);
      else if (isParquet) await this.#footer(file);
      else if (!hasOutline.has(file.path)) await this.#writeParts(file, []);
      else if (!(await this.#outline(file, format))) long.add(file);
      this.#provided.set(file.path, extent);
    });
    // A row can have megabytes, so that these are read one by one; in order, so that errors name the first.
    for (const file of missing.filter((each) => long.has(each))) {
      signal.throwIfAborted();
      await this.#outline(file, format, true);
    }
  }

  /** Reads an object that was not copied straight from S3, in parallel ranges. */
  async *chunks(file: ReadableFile, signal: AbortSignal): AsyncGenerator<Buffer> {
    if (this.#provided.get(file.path) === "whole") {
      yield* fileChunks(file);
      return;
    }
    const { size, etag, gzip } = file;
    const object = { location: parseLocation(file.location), size, etag, lastModified: new Date(0) };
    const ranges = objectRanges(this.options.storage, object, signal);
    yield* gzip ? decompressed({ name: file.location, size }, Readable.from(ranges)) : ranges;
  }

  async firstRows(table: EngineTable, signal: AbortSignal) {
    if (table.format === "parquet") {
      const [first] = table.files;
      if (first && first.size > firstRows.parquet) {
        const most = formatBytes(firstRows.parquet);
        throw new EngineError(`${first.location} is larger than ${most}, so that its rows are not shown: select them`);
      }
      const files = first ? [first] : [];
      await this.provide({ format: table.format, files }, "whole", signal);
      return { table: { ...table, files }, isCut: table.files.length > 1 };
    }
    const files: EngineFile[] = [];
    const { format } = table;
    for (const file of table.files) {
      signal.throwIfAborted();
      if (file.size <= firstRows.text) files.push(file);
      else files.push(await this.#beginning(file, format));
    }
    return { table: { ...table, files }, isCut: table.files.some(({ size }) => size > firstRows.text) };
  }

  async withOutput<Result>(
    output: string,
    signal: AbortSignal,
    write: (directory: string) => Promise<Result>,
  ): Promise<Result> {
    const target = parseLocation(output);
    const directory = join(this.options.directory, resultDirectory);
    await mkdir(directory, { recursive: true });
    try {
      const result = await write(directory);
      await forEachParallel((await readdir(directory)).toSorted(), parallel.writes, async (name) => {
        signal.throwIfAborted();
        const location = { bucket: target.bucket, key: target.key + name };
        const store = () => this.options.storage.write(location, createReadStream(join(directory, name)));
        // The computation would be lost with it.
        await repeatedWhileUnanswered(store, signal);
      });
      signal.throwIfAborted();
      return result;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  async release(): Promise<void> {
    this.#remote = undefined;
    if (this.#provided.size === 0) return;
    this.#provided.clear();
    this.#bytes = 0;
    await rm(this.options.directory, { recursive: true, force: true });
  }

  /** Returns the path of a directory for other files of a request, which does not exist. */
  scratch(): string {
    return join(this.options.directory, ".scratch");
  }

  /** Returns the files of objects. */
  of(objects: readonly StoredObject[]): EngineFile[] {
    return objects.map((object) => this.#file(object));
  }

  /** Lists the objects of a folder that have rows. */
  async objects(
    folder: Location,
    signal: AbortSignal,
    isEnough: (files: readonly EngineFile[]) => boolean = () => false,
  ): Promise<EngineFile[]> {
    const files: EngineFile[] = [];
    for await (const object of this.options.storage.list(folder)) {
      signal.throwIfAborted();
      if (isEnough(files)) break;
      const name = object.location.key.slice(folder.key.length);
      if (!isHiddenObject(name)) files.push({ ...this.#file(object), name });
    }
    return files;
  }

  #file({ location, size, etag }: StoredObject): EngineFile {
    return { path: this.#paths.path(location), location: formatLocation(location), size, etag };
  }

  async #copy({ path, location, size, etag }: EngineFile, signal: AbortSignal): Promise<void> {
    this.#bytes += size;
    if (this.#bytes > this.options.maxBytes) {
      throw new EngineError(
        `the objects that the statement reads have more than ${formatBytes(this.options.maxBytes)}, the most that a cluster with this memory copies from S3: read fewer partitions, or give the cluster more memory`,
      );
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        const body = await this.options.storage.read(parseLocation(location), { etag });
        await this.#writing(location, async () => {
          await mkdir(dirname(path), { recursive: true });
          const file = await open(path, "w");
          await pipeline(body, file.createWriteStream(), { signal });
        });
        break;
      } catch (error) {
        // A connection broke; the SDK tries again only what has not begun to arrive.
        if (signal.aborted || attempt === readAttempts || !isTransientS3Error(error)) throw error;
      }
    }
    if ((await stat(path)).size !== size)
      throw new EngineError(`${location} was changed while the query ran: submit it again`);
  }

  /** Writes a file with the first and the last bytes of a Parquet object. */
  async #footer(file: EngineFile): Promise<void> {
    const { size } = file;
    const read = this.#reader(file);
    const parts = [{ at: 0, bytes: await read(0, 4) }];
    const start = Math.max(0, size - outlineBytes);
    const end = await read(start, size);
    parts.push({ at: start, bytes: end });
    // The last eight bytes are the length of the footer and the magic number.
    const footer = end.length < 8 ? 0 : end.readUInt32LE(end.length - 8) + 8;
    if (footer > end.length && footer <= size)
      parts.push({ at: size - footer, bytes: await read(size - footer, size - end.length) });
    await this.#writeParts(file, parts);
  }

  /**
   * Writes a file with the beginning of text.
   * @param format of the text, if its columns are read from the first rows
   * @param grows true to read more, so that the beginning has them whole
   * @returns false when it does not
   */
  async #outline(file: EngineFile, format: InputFormat | undefined, grows = false): Promise<boolean> {
    const source = { name: file.path, size: file.size, read: this.#reader(file) };
    const rows = format && inferredRows(format);
    const head = await readHead(source, { bytes: outlineBytes, format: grows ? format : undefined, rows });
    await this.#writeParts(file, [{ at: 0, bytes: head.raw }]);
    return format === undefined || hasWholeRows(head, format, inferredRows(format));
  }

  /** Returns a function that reads a range of an object, which may go beyond its end. */
  #reader({ location, size, etag }: EngineFile) {
    const from = parseLocation(location);
    return async (start: number, end: number): Promise<Buffer> =>
      start >= size
        ? Buffer.alloc(0)
        : buffer(await this.options.storage.read(from, { start, end: Math.min(end, size), etag }));
  }

  async #writeParts(
    { path, location, size }: EngineFile,
    parts: readonly { readonly at: number; readonly bytes: Buffer }[],
  ): Promise<void> {
    await this.#writing(location, async () => {
      await mkdir(dirname(path), { recursive: true });
      const file = await open(path, "w");
      try {
        for (const { at, bytes } of parts) await file.write(bytes, 0, bytes.length, at);
        await file.truncate(size);
      } finally {
        await file.close();
      }
    });
  }

  /** Writes the whole rows at the beginning of an object to its file. */
  async #beginning(file: EngineFile, format: "csv" | "tsv" | "json"): Promise<EngineFile> {
    const source = { name: file.path, size: file.size, read: this.#reader(file) };
    const { bytes, more } = await readHead(source, { bytes: firstRows.text, format, rows: inferredRows(format) });
    const rows = more ? bytes.subarray(0, bytes.length - unfinishedBytes(bytes, format)) : bytes;
    await this.#writing(file.location, async () => {
      await mkdir(dirname(file.path), { recursive: true });
      await writeFile(file.path, rows);
    });
    this.#provided.set(file.path, "whole");
    return { ...file, size: rows.length };
  }

  async #writing(location: string, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (error instanceof ApiError || diskProblem(error) !== undefined) throw error;
      const { code } = error as NodeJS.ErrnoException;
      if (code !== undefined && nameProblems.has(code)) {
        throw new EngineError(
          `${location} cannot be read: its key cannot be the path of a file, because a part of it is longer than 255 bytes or is an object itself. Rename it`,
          { cause: error },
        );
      }
      throw error;
    }
  }
}

const nameProblems = new Set(["ENAMETOOLONG", "ENOTDIR", "EISDIR", "EEXIST"]);
