/** The DuckDB instance of an engine process, with its resource limits and access restrictions. */
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import type { EngineSettings } from "./protocol";
import { quoteLiteral } from "../sql-quoting";

/** Prepares the instance and its connections for translated SQL. */
export interface DatabaseSetup {
  /** Prepares the instance, through its first connection. */
  readonly instance?: (connection: DuckDBConnection) => void;
  /** Prepares a connection before its first statement. */
  readonly connection: (connection: DuckDBConnection) => Promise<void>;
}

/**
 * An in-memory DuckDB whose statements can only access files under the data directory: no network, no extensions, no
 * other files except DuckDB's own spilled data. Its settings are locked, except for the memory limit.
 */
export class Database {
  /** Opens an instance. */
  static async open(settings: EngineSettings, setup: DatabaseSetup): Promise<Database> {
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
    setup.instance?.(forSelects);
    await forSelects.run("SET GLOBAL TimeZone = 'UTC'");
    for (const setting of progressSettings) await forSelects.run(setting);
    // Without its optimizer DuckDB does not compute the constants of a statement that is only prepared.
    await forChecks.run("PRAGMA disable_optimizer");
    await setup.connection(forSelects);
    await setup.connection(forChecks);
    await forSelects.run(`SET allowed_directories = [${quoteLiteral(`${settings.dataDirectory}/`)}]`);
    await forSelects.run("SET enable_external_access = false");
    await forSelects.run("SET allowed_configs = ['memory_limit']");
    await forSelects.run("SET lock_configuration = true");
    return new Database(forSelects, forChecks, forLimits, settings.memoryBytes);
  }

  #limiting: Promise<void> = Promise.resolve();
  /** The memory limit that was last asked for. */
  #wantedBytes: number;

  private constructor(
    /** Runs statements. */
    readonly forSelects: DuckDBConnection,
    /** Prepares statements without computing anything. */
    readonly forChecks: DuckDBConnection,
    private readonly forLimits: DuckDBConnection,
    /** The memory limit that was last set. */
    private memoryBytes: number,
  ) {
    this.#wantedBytes = memoryBytes;
  }

  /** Sets the memory limit; without effect while the database uses more. @default the one that was last asked for */
  limitMemory(bytes = this.#wantedBytes): Promise<void> {
    this.#wantedBytes = bytes;
    return (this.#limiting = this.#limiting.then(() => this.#setMemoryLimit(bytes)));
  }

  async #setMemoryLimit(bytes: number): Promise<void> {
    if (bytes === this.memoryBytes) return;
    try {
      await this.forLimits.run(`SET memory_limit = ${quoteLiteral(kibibytes(bytes))}`);
      this.memoryBytes = bytes;
    } catch {
      // It keeps the limit that it has.
    }
  }
}

const kibibytes = (bytes: number) => `${Math.floor(bytes / 1024)}KiB`;

const progressSettings = [
  "SET enable_progress_bar = true",
  "SET enable_progress_bar_print = false",
  "SET progress_bar_time = 0",
];
