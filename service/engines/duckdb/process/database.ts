/** The DuckDB instance of an engine process, with its resource limits and access restrictions. */
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { EngineError } from "../engine-errors";
import type { EngineSettings } from "./protocol";
import { quoteLiteral } from "../sql-quoting";

/** The objects on S3 that the statements of a database may read, through DuckDB's extension httpfs. */
export interface RemoteAccess {
  /** Path of the extension. */
  readonly extension: string;
  /** The folders, as URLs that end in a slash, such as `s3://data/events/`. */
  readonly folders: readonly string[];
  /** File with the trusted authorities. @default those of the system */
  readonly authorities?: string | undefined;
}

/** Prepares an instance for translated SQL, through any of its connections. */
export interface DatabaseSetup {
  /** Registers functions. */
  readonly functions?: (connection: DuckDBConnection) => void;
  /** Creates macros. */
  readonly macros: (connection: DuckDBConnection) => Promise<void>;
}

/**
 * An in-memory DuckDB whose statements can only access files under the data directory: no network, no extensions, no
 * other files except DuckDB's own spilled data. One with remote access can also read the folders of its tables on S3. Its
 * settings are locked, except for the memory limit.
 */
export class Database {
  /** Opens an instance. */
  static async open(settings: EngineSettings, setup: DatabaseSetup, remote?: RemoteAccess): Promise<Database> {
    return new Database(await openInstance(settings, setup, remote), { settings, setup });
  }

  #opened: OpenInstance;
  /** The memory limit that was last set. */
  #memoryBytes: number;
  #limiting: Promise<void> = Promise.resolve();
  /** The memory limit that was last asked for. */
  #wantedBytes: number;
  /** The database of the running request, when it is not this one. */
  #other: Database | undefined;

  private constructor(
    opened: OpenInstance,
    private readonly origin: { readonly settings: EngineSettings; readonly setup: DatabaseSetup },
  ) {
    this.#opened = opened;
    this.#memoryBytes = origin.settings.memoryBytes;
    this.#wantedBytes = this.#memoryBytes;
  }

  /** Runs statements. */
  get forSelects(): DuckDBConnection {
    return this.#opened.forSelects;
  }

  /** Prepares statements without computing anything. */
  get forChecks(): DuckDBConnection {
    return this.#opened.forChecks;
  }

  /**
   * Runs `use` with another database like this one, which can also read objects. What a database may read cannot be
   * changed once it is locked.
   */
  async withRemote<Result>(access: RemoteAccess, use: (database: Database) => Promise<Result>): Promise<Result> {
    const { settings, setup } = this.origin;
    const other = await Database.open({ ...settings, memoryBytes: this.#wantedBytes }, setup, access);
    this.#other = other;
    // The limit may have changed in the meantime.
    void other.limitMemory(this.#wantedBytes);
    try {
      return await use(other);
    } finally {
      this.#other = undefined;
      await other.#close();
    }
  }

  /** Gives back the memory that the instance keeps of earlier statements: closes it and opens another. */
  renew(): Promise<void> {
    return (this.#limiting = this.#limiting.then(() => this.#reopen()));
  }

  /** Opens another instance when an internal error has made this one refuse all statements. */
  renewIfInvalidated(): Promise<void> {
    const answers = () => this.#opened.forLimits.run("SELECT 1");
    return (this.#limiting = this.#limiting.then(answers).then(
      () => undefined,
      () => this.#reopen(),
    ));
  }

  /**
   * Sets the credentials for objects, until the database is closed.
   * @param sql creates a secret; it is neither logged nor part of an error
   */
  async setCredentials(sql: string): Promise<void> {
    try {
      await this.#opened.forLimits.run(sql);
    } catch {
      throw new EngineError("DuckDB does not accept the credentials of S3: see `httpfs` in docs/scale/s3.md");
    }
  }

  /** Sets the memory limit; without effect while the database uses more. @default the one that was last asked for */
  limitMemory(bytes = this.#wantedBytes): Promise<void> {
    this.#wantedBytes = bytes;
    void this.#other?.limitMemory(bytes);
    return (this.#limiting = this.#limiting.then(() => this.#setMemoryLimit(bytes)));
  }

  async #reopen(): Promise<void> {
    this.#closeInstance();
    const { settings, setup } = this.origin;
    const memoryBytes = this.#wantedBytes;
    this.#opened = await openInstance({ ...settings, memoryBytes }, setup);
    this.#memoryBytes = memoryBytes;
  }

  async #close(): Promise<void> {
    await this.#limiting;
    this.#closeInstance();
  }

  #closeInstance(): void {
    const { instance, forSelects, forChecks, forLimits } = this.#opened;
    for (const connection of [forSelects, forChecks, forLimits]) connection.closeSync();
    instance.closeSync();
  }

  async #setMemoryLimit(bytes: number): Promise<void> {
    if (bytes === this.#memoryBytes) return;
    try {
      await this.#opened.forLimits.run(`SET memory_limit = ${quoteLiteral(kibibytes(bytes))}`);
      this.#memoryBytes = bytes;
    } catch {
      // It keeps the limit that it has.
    }
  }
}

/** An instance with its connections. */
interface OpenInstance {
  readonly instance: DuckDBInstance;
  readonly forSelects: DuckDBConnection;
  readonly forChecks: DuckDBConnection;
  /** Changes what may be changed while another connection runs a statement. */
  readonly forLimits: DuckDBConnection;
}

async function openInstance(
  settings: EngineSettings,
  setup: DatabaseSetup,
  remote?: RemoteAccess,
): Promise<OpenInstance> {
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: kibibytes(settings.memoryBytes),
    threads: String(settings.threads),
    temp_directory: settings.tempDirectory,
    max_temp_directory_size: kibibytes(settings.tempBytes),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_unsigned_extensions: "false",
  });
  const forSelects = await instance.connect();
  const forChecks = await instance.connect();
  const forLimits = await instance.connect();
  setup.functions?.(forSelects);
  await setup.macros(forSelects);
  // Without its optimizer DuckDB does not compute the constants of a statement that is only prepared.
  await forChecks.run("PRAGMA disable_optimizer");
  if (remote) await loadHttpfs(forSelects, remote);
  const directories = [`${settings.dataDirectory}/`, ...(remote?.folders ?? [])].map(quoteLiteral).join(", ");
  await forSelects.run(lockedSettings(directories).join("; "));
  return { instance, forSelects, forChecks, forLimits };
}

/** The settings after which no other can be changed. */
const lockedSettings = (directories: string) => [
  "SET GLOBAL TimeZone = 'UTC'",
  "SET enable_progress_bar = true",
  "SET enable_progress_bar_print = false",
  "SET progress_bar_time = 0",
  `SET allowed_directories = [${directories}]`,
  "SET enable_external_access = false",
  "SET allowed_configs = ['memory_limit']",
  "SET lock_configuration = true",
];

/** Settings of the extension. Its requests are repeated as those of the S3 client are. */
const httpfsSettings = [
  "SET allow_persistent_secrets = false",
  // What the extension has taken from the environment would be used for every bucket.
  "SET GLOBAL s3_access_key_id = ''",
  "SET GLOBAL s3_secret_access_key = ''",
  "SET GLOBAL s3_session_token = ''",
  "SET GLOBAL http_timeout = 30",
  "SET GLOBAL http_retries = 3",
  "SET GLOBAL http_keep_alive = true",
  "SET GLOBAL unsafe_disable_etag_checks = false",
  // It would keep what is read once in memory, beside the memory of the statement.
  "SET GLOBAL enable_external_file_cache = false",
];

async function loadHttpfs(connection: DuckDBConnection, { extension, authorities }: RemoteAccess): Promise<void> {
  await connection.run(`LOAD ${quoteLiteral(extension)}`);
  for (const setting of httpfsSettings) await connection.run(setting);
  if (authorities !== undefined) await connection.run(`SET GLOBAL ca_cert_file = ${quoteLiteral(authorities)}`);
}

const kibibytes = (bytes: number) => `${Math.floor(bytes / 1024)}KiB`;
