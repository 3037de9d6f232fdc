/** Stores objects in Amazon S3 or an S3-compatible server. The SDK is loaded on first use. */
import type { ListObjectsV2Output, S3ClientConfig } from "@aws-sdk/client-s3";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { ApiError, asFolder, bucketPattern, errors, formatLocation, type Location } from "../contract";
import { accessError, asAccessError, assertLocation, assertObject, objectNotFound } from "./errors";
import { bucketAndKey, copyInParts, copyObject, maxCopiedBytes, minRangeSourceBytes } from "./s3-copy";
import { guardedConnection, type S3Connection } from "./s3-connection";
import type { ByteRange, ReadOptions, Storage, StoredObject } from "./storage";
import { destroyBodyAfter, convertStreamErrors } from "./streams";

/** Endpoint, region and credentials of the storage. */
export interface S3StorageOptions {
  /** Base URL of an S3-compatible server. @default Amazon S3 */
  readonly endpoint?: string | undefined;
  /** @default the AWS SDK's configuration (`AWS_REGION`, a profile); with an endpoint `AWS_REGION` or `us-east-1` */
  readonly region?: string | undefined;
  /** @default the AWS SDK's credential chain: environment, profile, role */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** What another S3 client needs to send the same requests. */
export interface S3Access {
  /** Base URL of the server. */
  readonly endpoint: URL;
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
  };
}

/** Storage in S3 buckets. Requests use path-style addressing. */
export class S3Storage implements Storage {
  readonly description: string;
  #connected: Promise<S3Connection> | undefined;

  constructor(private readonly options: S3StorageOptions = {}) {
    this.description = `s3:${options.endpoint ?? ""}`;
  }

  /** Loads the SDK, which otherwise happens at the first use. */
  async load(): Promise<void> {
    await this.#connection();
  }

  /** Returns the server and the credentials that requests use now: those of a role are replaced before they expire. */
  async access(): Promise<S3Access> {
    return this.#run("the server", async ({ client: { config } }) => {
      const [credentials, region] = await Promise.all([config.credentials(), config.region()]);
      const { hostname, protocol, port, path } = (await config.endpoint?.()) ?? {};
      const { url } =
        hostname === undefined
          ? config.endpointProvider({ Region: region, ForcePathStyle: true })
          : { url: new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path ?? ""}`) };
      return { endpoint: url, region, credentials };
    });
  }

  /**
   * Returns the same storage; each of its requests, and each further attempt of one, waits for `permit`, and fails when
   * that rejects or when the signal is aborted.
   */
  guarded(permit: () => Promise<void>, signal: AbortSignal = new AbortController().signal): S3Storage {
    const guarded = new S3Storage(this.options);
    guarded.#connected = this.#connection().then((connection) => guardedConnection(connection, permit, signal));
    // The first request reports the error.
    guarded.#connected.catch(() => undefined);
    return guarded;
  }

  async buckets(): Promise<string[]> {
    const names: string[] = [];
    let token: string | undefined;
    do {
      const page = await this.#run("the list of the buckets", ({ sdk, client }) =>
        client.send(new sdk.ListBucketsCommand({ ContinuationToken: token }), inTime()),
      );
      // A bucket answers the same request with the list of its objects.
      if (page.Buckets === undefined) throw noBucketList();
      names.push(...page.Buckets.flatMap(({ Name }) => (Name === undefined ? [] : [Name])));
      token = page.ContinuationToken;
    } while (token !== undefined && token !== "");
    return names.filter((name) => bucketPattern.test(name)).toSorted();
  }

  async bucketExists(bucket: string): Promise<boolean> {
    return this.#withClient({ bucket, key: "" }, async ({ sdk, client }) => {
      try {
        await client.send(new sdk.HeadBucketCommand({ Bucket: bucket }), inTime());
        return true;
      } catch (error) {
        if (statusOf(error) === 404) return false;
        throw error;
      }
    });
  }

  async head(location: Location): Promise<StoredObject | undefined> {
    if (location.key === "" || location.key.endsWith("/")) return undefined;
    return this.#withClient(location, async ({ sdk, client }) => {
      try {
        const {
          ContentLength = 0,
          LastModified = new Date(0),
          ETag,
        } = await client.send(new sdk.HeadObjectCommand(bucketAndKey(location)), inTime());
        return { location, size: ContentLength, lastModified: LastModified, etag: ETag };
      } catch (error) {
        if (statusOf(error) === 404) return undefined;
        throw error;
      }
    });
  }

  /**
   * Returns what {@link head} does and the first bytes of the object, by one request for an object that has bytes.
   * @param length of the bytes, at least 1
   */
  async headWithBytes(location: Location, length: number): Promise<(StoredObject & { bytes: Buffer }) | undefined> {
    if (location.key === "" || location.key.endsWith("/")) return undefined;
    const found = await this.#withClient(location, async ({ sdk, client }) => {
      const request = new sdk.GetObjectCommand({ ...bucketAndKey(location), Range: `bytes=0-${length - 1}` });
      try {
        const { Body, ContentRange = "", LastModified = new Date(0), ETag } = await client.send(request, inTime());
        const bytes = await buffer(Body as Readable);
        // A server that takes no ranges sends the whole object.
        const size = Number(/\/(\d+)$/.exec(ContentRange)?.[1] ?? bytes.length);
        return { location, size, lastModified: LastModified, etag: ETag, bytes: bytes.subarray(0, length) };
      } catch (error) {
        if (statusOf(error) === 404) return undefined;
        // Status 416: the object is empty.
        if (statusOf(error) === 416) return "empty";
        throw error;
      }
    });
    if (found !== "empty") return found;
    const object = await this.head(location);
    return object && { ...object, bytes: Buffer.alloc(0) };
  }

  async *list(folder: Location, after?: string): AsyncGenerator<StoredObject, void, undefined> {
    for await (const page of this.#pages(asFolder(folder), after)) {
      // Other programs create a key that ends in a slash to mark an empty folder.
      yield* page.filter(({ location }) => !location.key.endsWith("/"));
    }
  }

  async *folders(folder: Location): AsyncGenerator<string, void, undefined> {
    const { bucket, key: prefix } = asFolder(folder);
    for await (const { CommonPrefixes = [] } of this.#listPages({ bucket, key: prefix }, { Delimiter: "/" })) {
      for (const { Prefix = "" } of CommonPrefixes) yield Prefix.slice(prefix.length, -1);
    }
  }

  async read(
    location: Location,
    { start = 0, end = Number.POSITIVE_INFINITY, etag }: ReadOptions = {},
  ): Promise<Readable> {
    assertObject(location);
    return this.#withClient(location, async ({ sdk, client }) => {
      try {
        if (end <= start) {
          await client.send(new sdk.HeadObjectCommand(bucketAndKey(location)), inTime());
          return Readable.from([]);
        }
        const whole = start === 0 && end === Number.POSITIVE_INFINITY;
        const range = `bytes=${start}-${Number.isFinite(end) ? end - 1 : ""}`;
        const { Body } = await client.send(
          new sdk.GetObjectCommand({
            ...bucketAndKey(location),
            ...(!whole && { Range: range }),
            ...(etag !== undefined && { IfMatch: etag }),
          }),
        );
        return convertStreamErrors(Body as Readable, (error) => asAccessError(location, error, reasonOf));
      } catch (error) {
        // Status 416: the range is beyond the end of the object.
        if (statusOf(error) === 416) return Readable.from([]);
        if (isMissingObject(error)) throw objectNotFound(location);
        throw error;
      }
    });
  }

  async write(location: Location, body: Readable | Uint8Array | string): Promise<void> {
    const put = async ({ sdk, client }: S3Connection) => {
      assertObject(location);
      if (body instanceof Readable) {
        const { Upload } = await import("@aws-sdk/lib-storage");
        await new Upload({ client, params: { ...bucketAndKey(location), Body: body } }).done();
      } else {
        const bytes = Buffer.from(body);
        await client.send(
          new sdk.PutObjectCommand({ ...bucketAndKey(location), Body: bytes, ContentLength: bytes.length }),
        );
      }
    };
    await destroyBodyAfter(body, () => this.#withClient(location, put));
  }

  async copy(source: StoredObject, target: Location, range?: ByteRange): Promise<void> {
    assertObject(source.location);
    assertObject(target);
    const { start, end } = { start: range?.start ?? 0, end: Math.min(range?.end ?? source.size, source.size) };
    const isWhole = start === 0 && end === source.size;
    const byServer = isWhole ? source.size <= maxCopiedBytes : source.size > minRangeSourceBytes && end > start;
    if (!byServer && source.size <= minRangeSourceBytes) {
      return this.write(target, await buffer(await this.read(source.location, { start, end, etag: source.etag })));
    }
    await this.#run(formatLocation(source.location), async (connection) => {
      if (isWhole && byServer) await copyObject(connection, source, target);
      else if (end > start) await copyInParts(connection, source, target, { start, end });
      else await this.write(target, "");
    });
  }

  async delete(location: Location): Promise<void> {
    assertObject(location);
    await this.#withClient(location, ({ sdk, client }) =>
      client.send(new sdk.DeleteObjectCommand(bucketAndKey(location))),
    );
  }

  async deleteFolder(folder: Location): Promise<void> {
    const target = asFolder(folder);
    for await (const page of this.#pages(target)) {
      await this.#withClient(target, async ({ sdk, client }) => {
        const Objects = page.map(({ location }) => ({ Key: location.key }));
        const { Errors = [] } = await client.send(
          new sdk.DeleteObjectsCommand({ Bucket: target.bucket, Delete: { Objects, Quiet: true } }),
        );
        const [first] = Errors;
        if (first)
          throw accessError(
            { ...target, key: first.Key ?? target.key },
            first.Message ?? first.Code ?? "the object was not deleted",
          );
      });
    }
  }

  /** Ends the uploads in parts to a folder that were begun and not completed, as by a process that was killed. */
  async deleteUploads(folder: Location): Promise<void> {
    const { bucket, key } = asFolder(folder);
    await this.#withClient(folder, async ({ sdk, client }) => {
      const { Uploads = [] } = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key }));
      for (const { Key, UploadId } of Uploads) {
        await client.send(new sdk.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
      }
    });
  }

  /** Yields the objects in a folder in pages of up to 1000, in the byte order of their keys. */
  async *#pages(folder: Location, after?: string): AsyncGenerator<StoredObject[], void, undefined> {
    for await (const { Contents = [] } of this.#listPages(folder, { StartAfter: after })) {
      const objects = Contents.map(({ Key = "", Size = 0, LastModified = new Date(0), ETag }) => ({
        location: { bucket: folder.bucket, key: Key },
        size: Size,
        lastModified: LastModified,
        etag: ETag,
      }));
      if (objects.length > 0) yield objects;
    }
  }

  async *#listPages(
    folder: Location,
    options: { readonly Delimiter?: string; readonly StartAfter?: string | undefined },
  ): AsyncGenerator<ListObjectsV2Output, void, undefined> {
    assertLocation(folder);
    let token: string | undefined;
    do {
      const page = await this.#withClient(folder, ({ sdk, client }) => {
        const request = { Bucket: folder.bucket, Prefix: folder.key, ContinuationToken: token };
        return client.send(new sdk.ListObjectsV2Command({ ...options, ...request }), inTime());
      });
      yield page;
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  #connection(): Promise<S3Connection> {
    return (this.#connected ??= connect(this.options));
  }

  async #withClient<Result>(location: Location, work: (connection: S3Connection) => Promise<Result>): Promise<Result> {
    assertLocation(location);
    return this.#run(formatLocation(location), work);
  }

  /** @param what is named in the message of an error */
  async #run<Result>(what: string, work: (connection: S3Connection) => Promise<Result>): Promise<Result> {
    try {
      return await work(await this.#connection());
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw new errors.StorageAccessError(`${what} cannot be accessed: ${reasonOf(error)}`, { cause: error });
    }
  }
}

async function connect({ endpoint, region, credentials }: S3StorageOptions): Promise<S3Connection> {
  const sdk = await import("@aws-sdk/client-s3");
  const config: S3ClientConfig = {
    forcePathStyle: true,
    // Some S3-compatible servers do not support the SDK's default checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: 5000, socketTimeout: 30_000 },
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
  };
  // For Amazon S3, the SDK's own configuration decides; other servers usually ignore the region.
  const defaultRegion = endpoint === undefined ? undefined : (process.env["AWS_REGION"] ?? "us-east-1");
  const chosen = region ?? defaultRegion;
  return { sdk, client: new sdk.S3Client({ ...config, ...(chosen !== undefined && { region: chosen }) }) };
}

/** Milliseconds in which S3 must answer what it can answer at once, with the SDK's further attempts. */
const answerTime = 20_000;

const inTime = () => ({ abortSignal: AbortSignal.timeout(answerTime) });

function noBucketList(): Error {
  const problem = "the address answers with another list than that of the buckets";
  return new errors.StorageAccessError(`the list of the buckets cannot be accessed: ${problem}`, {
    cause: Object.assign(new Error(problem), { code: "NoBucketList" }),
  });
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function isMissingObject(error: unknown): boolean {
  return statusOf(error) === 404 && (error as Error).name !== "NoSuchBucket";
}

/** Returns the server's message with its error code and HTTP status. A response without a body has no message. */
function reasonOf(error: unknown): string {
  const { name, message } = error as Error;
  if (name === "AbortError") return `S3 did not answer within ${answerTime / 1000} s`;
  const status = statusOf(error);
  if (status === 412) return "it was changed in the meantime";
  // The answer to a HEAD has no body that says why.
  if (name === "Unknown" || message === "UnknownError")
    return status === 403
      ? "S3 refuses the access key, its signature, or its access to the bucket (status 403): the service's operator must check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the key's policy"
      : `S3 answers with status ${status}`;
  const codeAndStatus = [name, ...(status === undefined ? [] : [`status ${status}`])].join(", ");
  return message === "" || message === name ? codeAndStatus : `${message} (${codeAndStatus})`;
}
