/** Objects that users upload: `PUT /objects/<bucket>/<path>`. */
import { Transform, type Readable } from "node:stream";
import { errors, formatLocation, reservedFolderOf, reservedFolders, type UploadedObject } from "../../../contract";
import { describeOverlap } from "../queries/reservations";
import type { ServiceContext } from "../service-context";
import { locationOf, requireBucket } from "./objects";

/** Bytes of an object that can be uploaded. */
const maxBytes = 1024 ** 3;

/** What is uploaded. */
interface Upload {
  /** The object's location. */
  readonly text: string;
  readonly body: Readable;
  /** Bytes that the caller announced; undefined when it did not. */
  readonly size: number | undefined;
  /** True to replace an object that exists. */
  readonly overwrite: boolean;
}

/**
 * Stores an object, whole or not at all.
 * @throws InvalidParameter when the path is reserved or the object exists, InputBucketIsNotFound, InvalidOutputResourcePath
 *   while a query writes to its folder, EntityTooLarge
 */
export async function putObject(
  { storage, state }: Pick<ServiceContext, "storage" | "state">,
  { text, body, size = 0, overwrite }: Upload,
): Promise<UploadedObject> {
  const location = locationOf("path", text);
  const { bucket, key } = location;
  const field = "path";
  if (key === "" || key.endsWith("/")) {
    throw new errors.InvalidParameter(`${text} is a folder: name the object in it`, { field });
  }
  const reserved = reservedFolderOf(key);
  if (reserved !== undefined) {
    throw new errors.InvalidParameter(
      `${text} is in ${reserved}, which is reserved for ${reservedFolders[reserved]}: choose another folder`,
      { field },
    );
  }
  if (size > maxBytes) throw tooLarge();
  await requireBucket({ storage }, location);
  if (!overwrite && (await storage.head(location))) {
    throw new errors.InvalidParameter(
      `the object ${text} exists: name another one, or replace it with --overwrite (dag-service put) or ?overwrite=true (a request)`,
      {
        field,
      },
    );
  }
  const reservation = await state.admission.reserve({ bucket, key: `${key}/` }, "an upload");
  if (reservation.refused) {
    throw new errors.InvalidOutputResourcePath(`${text} cannot be written now: ${describeOverlap(reservation)}`, {
      field,
    });
  }
  try {
    const counted = new Counted();
    body.once("error", (error) => counted.destroy(error));
    // A caller that goes away ends the body without an error.
    body.once("close", () => body.readableEnded || counted.destroy(new Error("the body did not arrive completely")));
    await storage.write(location, body.pipe(counted));
    return { location: formatLocation(location), size: counted.bytes };
  } catch (error) {
    const problem = pathProblem(error);
    throw problem === undefined ? error : new errors.InvalidParameter(`${text} ${problem}`, { field });
  } finally {
    await reservation.release();
  }
}

/** Returns why the path is none of an object in a file storage, which has folders; undefined for another error. */
function pathProblem(error: unknown): string | undefined {
  const { cause } = error as { readonly cause?: Partial<NodeJS.ErrnoException> };
  if (cause?.code === "EISDIR") {
    return "is a folder: end it with / to store the file there under its own name (dag-service put), or name the object in it";
  }
  if (cause?.code !== "EEXIST" && cause?.code !== "ENOTDIR") return undefined;
  return "has an object as a part of its path: choose another folder";
}

/** Counts the bytes that pass, and refuses too many. */
class Counted extends Transform {
  bytes = 0;

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: Error | null, chunk?: Buffer) => void): void {
    this.bytes += chunk.length;
    if (this.bytes > maxBytes) done(tooLarge());
    else done(null, chunk);
  }
}

function tooLarge() {
  return new errors.EntityTooLarge(
    `the object is larger than ${maxBytes} bytes: put it into the bucket's own storage instead`,
  );
}
