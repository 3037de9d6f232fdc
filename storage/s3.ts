/** Objects on S3 or a server that speaks as S3 does. The SDK is loaded when it is first used. */
import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import { Readable } from "node:stream";
import { asFolder, type Location } from "../contract";
import { accessError, asAccessError, assertLocation, assertObject, notFound } from "./errors";
import type { ByteRange, Storage, StoredObject } from "./storage";
import { consuming, withErrors } from "./streams";

/** Which store, and who asks. */
export interface S3StorageOptions {
  /** Base URL of a server that speaks as S3 does. @default AWS */
  readonly endpoint?: string | undefined;
  /** @default what the AWS SDK is configured with (`AWS_REGION`, a profile); with an endpoint `us-east-1` */
  readonly region?: string | undefined;
  /** @default the AWS SDK's chain: environment, profile, role */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** A bucket is a bucket, a key is a key; always addressed by path. */
export class S3Storage implements Storage {
  readonly description: string;
  #connected: Promise<Connection> | undefined;

  constructor(private readonly options: S3StorageOptions = {}) {
    this.description = `s3:${options.endpoint ?? ""}`;
  }

  async bucketExists(bucket: string): Promise<boolean> {
    return this.#guarded({ bucket, key: "" }, async ({ sdk, client }) => {
      try {
        await client.send(new sdk.HeadBucketCommand({ Bucket: bucket }));
        return true;
      } catch (error) {
        if (statusOf(error) === 404) return false;
        throw error;
      }
    });
  }

  async head(location: Location): Promise<StoredObject | undefined> {
    if (location.key === "" || location.key.endsWith("/")) return undefined;
    return this.#guarded(location, async ({ sdk, client }) => {
      try {
        const { ContentLength = 0, LastModified = new Date(0) } = await client.send(
          new sdk.HeadObjectCommand(address(location)),
        );
        return { location, size: ContentLength, lastModified: LastModified };
      } catch (error) {
        if (statusOf(error) === 404) return undefined;
        throw error;
      }
    });
  }

  async *list(folder: Location): AsyncGenerator<StoredObject, void, undefined> {
    for await (const page of this.#pages(asFolder(folder))) {
      // A key that ends in a slash is how other programs mark a folder that holds nothing.
      yield* page.filter(({ location }) => !location.key.endsWith("/"));
    }
  }

  async read(location: Location, { start = 0, end = Number.POSITIVE_INFINITY }: ByteRange = {}): Promise<Readable> {
    assertObject(location);
    return this.#guarded(location, async ({ sdk, client }) => {
      try {
        if (end <= start) {
          await client.send(new sdk.HeadObjectCommand(address(location)));
          return Readable.from([]);
        }
        const whole = start === 0 && end === Number.POSITIVE_INFINITY;
        const range = `bytes=${start}-${Number.isFinite(end) ? end - 1 : ""}`;
        const { Body } = await client.send(
          new sdk.GetObjectCommand({ ...address(location), ...(!whole && { Range: range }) }),
        );
        return withErrors(Body as Readable, (error) => asAccessError(location, error, reasonOf));
      } catch (error) {
        // Nothing of the object lies in the range.
        if (statusOf(error) === 416) return Readable.from([]);
        if (isMissingObject(error)) throw notFound(location);
        throw error;
      }
    });
  }

  async write(location: Location, body: Readable | Uint8Array | string): Promise<void> {
    const put = async ({ sdk, client }: Connection) => {
      assertObject(location);
      if (body instanceof Readable) {
        const { Upload } = await import("@aws-sdk/lib-storage");
        await new Upload({ client, params: { ...address(location), Body: body } }).done();
      } else {
        const bytes = Buffer.from(body);
        await client.send(new sdk.PutObjectCommand({ ...address(location), Body: bytes, ContentLength: bytes.length }));
      }
    };
    await consuming(body, () => this.#guarded(location, put));
  }

  async delete(location: Location): Promise<void> {
    assertObject(location);
    await this.#guarded(location, ({ sdk, client }) => client.send(new sdk.DeleteObjectCommand(address(location))));
  }

  async deleteFolder(folder: Location): Promise<void> {
    const target = asFolder(folder);
    for await (const page of this.#pages(target)) {
      await this.#guarded(target, async ({ sdk, client }) => {
        const Objects = page.map(({ location }) => ({ Key: location.key }));
        const { Errors = [] } = await client.send(
          new sdk.DeleteObjectsCommand({ Bucket: target.bucket, Delete: { Objects, Quiet: true } }),
        );
        const [first] = Errors;
        if (first)
          throw accessError(
            { ...target, key: first.Key ?? target.key },
            first.Message ?? first.Code ?? "it was not deleted",
          );
      });
    }
  }

  /** The objects under a folder, up to 1000 at once, in the order of their keys' bytes. */
  async *#pages(folder: Location): AsyncGenerator<StoredObject[], void, undefined> {
    assertLocation(folder);
    let token: string | undefined;
    do {
      const page = await this.#guarded(folder, ({ sdk, client }) =>
        client.send(
          new sdk.ListObjectsV2Command({ Bucket: folder.bucket, Prefix: folder.key, ContinuationToken: token }),
        ),
      );
      const objects = (page.Contents ?? []).map(({ Key = "", Size = 0, LastModified = new Date(0) }) => ({
        location: { bucket: folder.bucket, key: Key },
        size: Size,
        lastModified: LastModified,
      }));
      if (objects.length > 0) yield objects;
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async #guarded<Result>(location: Location, work: (connection: Connection) => Promise<Result>): Promise<Result> {
    assertLocation(location);
    try {
      this.#connected ??= connect(this.options);
      return await work(await this.#connected);
    } catch (error) {
      throw asAccessError(location, error, reasonOf);
    }
  }
}

interface Connection {
  readonly sdk: typeof import("@aws-sdk/client-s3");
  readonly client: S3Client;
}

async function connect({ endpoint, region, credentials }: S3StorageOptions): Promise<Connection> {
  const sdk = await import("@aws-sdk/client-s3");
  const config: S3ClientConfig = {
    forcePathStyle: true,
    // Not every server knows the checksums that the SDK would add by itself.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: 10_000, socketTimeout: 60_000 },
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
  };
  // AWS itself is in the region that the SDK's configuration names; any other server has just one.
  const defaultRegion = endpoint === undefined ? undefined : (process.env["AWS_REGION"] ?? "us-east-1");
  const chosen = region ?? defaultRegion;
  return { sdk, client: new sdk.S3Client({ ...config, ...(chosen !== undefined && { region: chosen }) }) };
}

const address = ({ bucket, key }: Location) => ({ Bucket: bucket, Key: key });

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function isMissingObject(error: unknown): boolean {
  return statusOf(error) === 404 && (error as Error).name !== "NoSuchBucket";
}

/** The server's words with its code and status, of which an answer without a body has only the last. */
function reasonOf(error: unknown): string {
  const { name, message } = error as Error;
  const status = statusOf(error);
  const known = [name, ...(status === undefined ? [] : [`status ${status}`])].join(", ");
  return message === "" || message === name ? known : `${message} (${known})`;
}
