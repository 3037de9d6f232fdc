/**
 * Splits objects on S3. Rows are not rewritten: a split finds the range of each new object, and when the table is
 * published S3 copies the ranges from the inputs. Only gzip is streamed through files of this machine.
 */
import { createReadStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { errors, formatLocation, parseLocation, type Location } from "../../../../contract";
import type { S3Storage } from "../../../../storage/s3";
import { type ObjectRange, writeRanges } from "../../../../storage/s3-ranges";
import type { StoredObject } from "../../../../storage/storage";
import { EngineError } from "../engine-errors";
import type { EngineOperationInput, EngineOperationOutput } from "../process/protocol";
import type { JobControl } from "../run-select";
import { findColumns, type SplitContext, splitStages } from "../split-job";
import { RecordCutter } from "../../../split/cutter";
import { objectName, ObjectFiles } from "../../../split/objects";
import { requireZeros } from "../../../split/cut-files";
import { recordScanner } from "../../../split/scanner";
import { csvCuts, lineCuts } from "./cuts";
import type { S3EngineFiles } from "./files";
import { forEachParallel, Tasks } from "./parallel";
import { objectRanges } from "./ranges";

interface Dependencies {
  readonly storage: S3Storage;
  readonly files: S3EngineFiles;
}

/** Inputs that are looked at, and files that are stored, at the same time. */
const parallel = { heads: 16, writes: 2 } as const;

/** An input with what its first bytes tell. */
interface Input extends StoredObject {
  readonly isGzip: boolean;
}

/** Cuts the inputs into objects of the output folder. The result is that of a split of files. */
export async function splitOnS3(
  context: SplitContext,
  { storage, files }: Dependencies,
  { inputs: locations, format, columns, output, objectBytes }: EngineOperationInput<"split">,
  control: JobControl,
): Promise<EngineOperationOutput<"split">> {
  control.progress(0, splitStages.cut);
  const started = performance.now();
  const target = parseLocation(output);
  const inputs = await lookAt(storage, locations, control.signal);
  const bytes = inputs.reduce((sum, { size }) => sum + size, 0);
  const split = new RangeSplit({ storage, target, objectBytes, format, directory: files.scratch(), control, bytes });
  for (const input of inputs) await split.add(input);
  const objects = await split.finish();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  control.log(`cut ${inputs.length} inputs of ${bytes} bytes into ${objects} objects in ${seconds} s`);
  const found = columns ?? (await findColumns(context, files.of(inputs), format, control));
  control.progress(100, splitStages.cut);
  return { columns: found.map(({ name, type }) => ({ name, type })), checked: false };
}

/** Reads sizes and first bytes of the inputs. @throws InputObjectNotFound */
async function lookAt(storage: S3Storage, locations: readonly Location[], signal: AbortSignal): Promise<Input[]> {
  const found = new Map<Location, Input>();
  await forEachParallel(locations, parallel.heads, async (location) => {
    signal.throwIfAborted();
    const object = await storage.headWithBytes(location, 2);
    if (!object) {
      const message = `${formatLocation(location)} does not exist`;
      throw new errors.InputObjectNotFound(message, { field: "inputObjectKeys" });
    }
    const { bytes, ...input } = object;
    found.set(location, { ...input, isGzip: bytes[0] === 0x1f && bytes[1] === 0x8b });
  });
  return locations.map((location) => found.get(location)!);
}

interface RangeSplitOptions {
  readonly storage: S3Storage;
  readonly target: Location;
  readonly objectBytes: number;
  readonly format: EngineOperationInput<"split">["format"];
  /** A directory that does not exist, for objects that are rewritten. */
  readonly directory: string;
  readonly control: JobControl;
  /** Size of all inputs. */
  readonly bytes: number;
}

class RangeSplit {
  readonly #ranges: ObjectRange[] = [];
  readonly #writes = new Tasks(parallel.writes);
  #objects = 0;
  #done = 0;

  constructor(private readonly options: RangeSplitOptions) {}

  /** Begins the objects of one input. */
  async add(input: Input): Promise<void> {
    if (input.size === 0) return;
    if (input.isGzip) return this.#rewrite(input);
    const { location: source, size: sourceSize, etag = null } = input;
    for await (const { start, end } of this.#cuts(input)) {
      this.options.control.signal.throwIfAborted();
      this.#ranges.push({ name: objectName(this.#objects++), source, sourceSize, etag, start, end });
      this.#progress(end - start);
    }
  }

  /** Resolves with the number of objects when all are stored. A split of nothing has one empty object. */
  async finish(): Promise<number> {
    const { storage, target } = this.options;
    await this.#writes.finish();
    if (this.#ranges.length > 0) await writeRanges(storage, target, this.#ranges);
    if (this.#objects === 0) await storage.write(this.#next(), "");
    this.options.control.signal.throwIfAborted();
    return this.#objects;
  }

  async *#cuts(input: Input) {
    const { storage, objectBytes, format, control } = this.options;
    const { location, size, etag } = input;
    if (size <= objectBytes) yield { start: 0, end: size };
    else if (format === "csv") yield* csvCuts(objectRanges(storage, input, control.signal), objectBytes);
    else {
      yield* lineCuts(size, objectBytes, async (start, end) => {
        control.signal.throwIfAborted();
        return buffer(await storage.read(location, { start, end, etag }));
      });
    }
  }

  /** Decompresses an input, and stores each object as soon as it is complete. */
  async #rewrite(input: Input): Promise<void> {
    const { directory, format, objectBytes, control } = this.options;
    await mkdir(directory, { recursive: true });
    const files = new ObjectFiles(directory, false);
    const cutter = new RecordCutter({ scanner: recordScanner(format), objectBytes, open: () => files.open() });
    const compressed = Readable.from(objectRanges(this.options.storage, input, control.signal));
    const plain = createGunzip({ chunkSize: 1024 * 1024 });
    compressed.on("error", (error) => plain.destroy(error));
    let stored = 0;
    let read = 0;
    compressed.on("data", (chunk: Buffer) => (read += chunk.length));
    let reported = 0;
    const storeUpTo = async (count: number) => {
      for (; stored < count; stored += 1) await this.#store(join(directory, objectName(stored)));
      this.#progress(read - reported);
      reported = read;
    };
    try {
      for await (const chunk of compressed.pipe(plain) as AsyncIterable<Buffer>) {
        control.signal.throwIfAborted();
        cutter.push(chunk, chunk.length);
        // The last object may still grow.
        await storeUpTo(files.count - 1);
      }
      if (plain.bytesWritten < input.size) {
        const { location, etag } = input;
        const rest = await this.options.storage.read(location, { start: plain.bytesWritten, etag });
        await requireZeros(formatLocation(location), rest as AsyncIterable<Buffer>);
      }
      cutter.end();
      await files.finish();
      await storeUpTo(files.count);
      await this.#writes.finish();
    } catch (error) {
      await this.#writes.settle();
      files.abandon();
      control.signal.throwIfAborted();
      throw gzipError(formatLocation(input.location), error);
    } finally {
      compressed.destroy();
      await rm(directory, { recursive: true, force: true });
    }
  }

  async #store(path: string): Promise<void> {
    const target = this.#next();
    await this.#writes.add(async () => {
      await this.options.storage.write(target, createReadStream(path));
      await rm(path);
    });
  }

  #next(): Location {
    const { bucket, key } = this.options.target;
    return { bucket, key: key + objectName(this.#objects++) };
  }

  #progress(bytes: number): void {
    this.#done += bytes;
    this.options.control.progress((99 * this.#done) / Math.max(1, this.options.bytes), splitStages.cut);
  }
}

function gzipError(location: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "Z_BUF_ERROR") return new EngineError(`cannot split ${location}: its gzip data ends too early`);
  if (code?.startsWith("Z_")) return new EngineError(`cannot split ${location}: its gzip data is broken`);
  return error;
}
