/**
 * The Parquet objects that DuckDB reads itself, by ranges, through its extension httpfs. What their footers say is read
 * before by our own client, whose errors users understand; DuckDB's never reach them.
 */
import { text } from "node:stream/consumers";
import { formatLocation, parseLocation, type Location } from "../../../../contract";
import type { S3Storage } from "../../../../storage/s3";
import { duckdbErrorKind, EngineError } from "../engine-errors";
import type { EngineFile, EngineTable, RemoteTables } from "../files";
import type { Database } from "../process/database";
import type { TableDefinition } from "../../../core/ports/engine";
import { quoteLiteral } from "../sql-quoting";
import { forEachParallel } from "../../../../storage/parallel";

export interface RemoteObjectsOptions {
  readonly storage: S3Storage;
  /** Path of the extension. */
  readonly extension: string;
  /** File with the authorities that Node.js trusts. */
  readonly authorities: string | undefined;
  /** Maximum bytes of the copies of one request. */
  readonly maxBytes: number;
}

/** Smaller objects are copied, many at a time: DuckDB's requests for one would take longer. */
const smallBytes = 4 * 1024 * 1024;
/** Objects whose size and etag are read one by one, and at the same time; of more the folders are listed. */
const heads = { most: 64, parallel: 16 } as const;
/** Times that a query is run, when the credentials have expired during it. */
const maxAttempts = 3;

/** The objects that DuckDB reads itself for one select. */
export class RemoteObjects implements RemoteTables {
  readonly tables: readonly EngineTable[];
  readonly #options: RemoteObjectsOptions;
  readonly #folders: readonly Location[];
  /** The objects that the statement needs, by location. */
  readonly #needed = new Map<string, EngineFile>();

  /** Returns those of tables; undefined when there are none. */
  static of(
    tables: readonly EngineTable[],
    requests: readonly TableDefinition[],
    options: RemoteObjectsOptions,
  ): RemoteObjects | undefined {
    const parquet = tables.filter(({ format }) => format === "parquet").flatMap(({ files }) => files);
    const smallSum = parquet.reduce((sum, { size }) => sum + (size < smallBytes ? size : 0), 0);
    const isRead = ({ size }: EngineFile) => size >= smallBytes || (size > 0 && smallSum > options.maxBytes);
    const folders = new Map<string, Location>();
    const remote = tables.map((table, index) => {
      const { location: folder } = requests[index]!;
      if (table.format !== "parquet" || remoteUrl(folder) === undefined) return table;
      const files = table.files.map((file) => {
        const url = isRead(file) ? remoteUrl(parseLocation(file.location)) : undefined;
        if (url === undefined) return file;
        folders.set(formatLocation(folder), folder);
        return { ...file, remote: url };
      });
      return { ...table, files };
    });
    return folders.size === 0 ? undefined : new RemoteObjects(remote, [...folders.values()], options);
  }

  private constructor(tables: readonly EngineTable[], folders: readonly Location[], options: RemoteObjectsOptions) {
    this.tables = tables;
    this.#folders = folders;
    this.#options = options;
  }

  /** Notes an object that the statement needs. */
  add(file: EngineFile): void {
    this.#needed.set(file.location, file);
  }

  async run<Result>(
    base: Database,
    signal: AbortSignal,
    use: (database: Database) => Promise<Result>,
  ): Promise<Result> {
    const { extension, authorities } = this.#options;
    const folders = this.#folders.map((folder) => remoteUrl(folder)!);
    for (let attempt = 1; ; attempt += 1) {
      const secret = await this.#secret(folders);
      try {
        return await base.withRemote({ extension, folders, authorities }, async (database) => {
          await database.setCredentials(secret);
          const result = await use(database);
          await this.#requireUnchanged(signal);
          return result;
        });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof EngineError) throw error;
        const kind = duckdbErrorKind(error);
        // The rows of an object that was changed are no Parquet when they are read with its old footer.
        if (kind === "parquet" || kind === "library") await this.#requireUnchanged(signal);
        if (kind !== "files") throw error;
        await this.#explain(signal);
        // The credentials of a role expire, also during a query. A running transaction sees no new ones.
        if (attempt === maxAttempts || (await this.#secret(folders)) === secret) throw error;
      }
    }
  }

  /** Returns SQL that gives DuckDB the credentials, for the folders only. */
  async #secret(folders: readonly string[]): Promise<string> {
    const { endpoint, region, credentials } = await this.#options.storage.access();
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const fields = [
      "TYPE s3, PROVIDER config",
      `SCOPE [${folders.map(quoteLiteral).join(", ")}]`,
      `KEY_ID ${quoteLiteral(accessKeyId)}`,
      `SECRET ${quoteLiteral(secretAccessKey)}`,
      ...(sessionToken === undefined ? [] : [`SESSION_TOKEN ${quoteLiteral(sessionToken)}`]),
      `REGION ${quoteLiteral(region)}`,
      `ENDPOINT ${quoteLiteral(endpoint.host)}`,
      `URL_STYLE 'path', USE_SSL ${endpoint.protocol === "https:"}`,
    ];
    return `CREATE OR REPLACE TEMPORARY SECRET objects (${fields.join(", ")})`;
  }

  /** Finds out why DuckDB could not read the objects. @throws the reason, if there is one */
  async #explain(signal: AbortSignal): Promise<void> {
    await this.#requireUnchanged(signal);
    const { storage } = this.#options;
    await forEachParallel([...this.#needed.values()].slice(0, heads.most), heads.parallel, async (file) => {
      signal.throwIfAborted();
      await text(await storage.read(parseLocation(file.location), { start: 0, end: 1 }));
    });
  }

  /** DuckDB has read the objects as they were when it opened them, and all else was found out before. */
  async #requireUnchanged(signal: AbortSignal): Promise<void> {
    const { storage } = this.#options;
    const found = new Map<string, string>();
    const add = (location: string, { size, etag = "" }: Pick<EngineFile, "size" | "etag">) =>
      void found.set(location, `${size} ${etag}`);
    if (this.#needed.size <= heads.most) {
      await forEachParallel(this.#needed.keys(), heads.parallel, async (location) => {
        signal.throwIfAborted();
        const object = await storage.head(parseLocation(location));
        if (object) add(location, object);
      });
    } else {
      for (const folder of this.#folders) {
        for await (const object of storage.list(folder)) {
          signal.throwIfAborted();
          add(formatLocation(object.location), object);
        }
      }
    }
    for (const { location, size, etag = "" } of this.#needed.values()) {
      if (found.get(location) === `${size} ${etag}`) continue;
      throw new EngineError(`${location} was changed while the query ran: submit it again`);
    }
  }
}

/**
 * Returns the URL of an object or folder; undefined for a key that DuckDB takes for a pattern, for parameters of the
 * request or for another folder.
 */
export function remoteUrl({ bucket, key }: Location): string | undefined {
  const segments = key.replace(/\/$/, "").split("/");
  const isPlain = segments.every((segment) => segment !== "" && segment !== "." && segment !== "..");
  // oxlint-disable-next-line no-control-regex -- keys can contain them
  return isPlain && !/[*?[\\\u0000-\u001f\u007f]/.test(key) ? `s3://${bucket}/${key}` : undefined;
}
