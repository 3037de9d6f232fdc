/** The DuckDB instance of an engine process: its limits, and the walls around what a statement can reach. */
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import type { EngineSettings } from "./protocol";
import { quoteText } from "../sql";

/** Connections of an engine; as many statements run at once, more wait. */
const connectionCount = 64;

/** What statements need to be there. */
export interface Preparation {
  /** Sets up the instance, through its first connection. */
  readonly instance?: (connection: DuckDBConnection) => void;
  /** Sets up a connection before its first statement. */
  readonly connection: (connection: DuckDBConnection) => Promise<void>;
}

/**
 * An in-memory DuckDB whose statements reach files under the data directory and nothing else: no network, no
 * extension, no other file but what DuckDB itself spills, and whose settings can no longer be changed.
 */
export class Database {
  readonly #idle: DuckDBConnection[];
  readonly #prepared = new WeakSet<DuckDBConnection>();
  readonly #preparation: Preparation;
  readonly #waiting: ((connection: DuckDBConnection) => void)[] = [];

  /** Opens an instance. */
  static async open(settings: EngineSettings, preparation: Preparation): Promise<Database> {
    const instance = await DuckDBInstance.create(":memory:", {
      memory_limit: `${Math.floor(settings.memoryBytes / 1024)}KiB`,
      threads: String(settings.threads),
      temp_directory: settings.tempDirectory,
      max_temp_directory_size: `${Math.floor(settings.tempBytes / 1024)}KiB`,
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      allow_community_extensions: "false",
      allow_unsigned_extensions: "false",
    });
    const connections = await Promise.all(Array.from({ length: connectionCount }, () => instance.connect()));
    const [first] = connections as [DuckDBConnection, ...DuckDBConnection[]];
    preparation.instance?.(first);
    await first.run("SET GLOBAL TimeZone = 'UTC'");
    // Progress is a setting of each connection, so all of them are made before the settings are locked.
    for (const connection of connections) {
      for (const setting of progressSettings) await connection.run(setting);
    }
    await first.run(`SET allowed_directories = [${quoteText(`${settings.dataDirectory}/`)}]`);
    await first.run("SET enable_external_access = false");
    await first.run("SET lock_configuration = true");
    return new Database(connections, preparation);
  }

  private constructor(connections: DuckDBConnection[], preparation: Preparation) {
    this.#idle = connections;
    this.#preparation = preparation;
  }

  /** Runs `use` with a connection that nobody else has; waits for one where all are in use. */
  async withConnection<Result>(use: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
    const connection = this.#idle.pop() ?? (await new Promise<DuckDBConnection>((take) => this.#waiting.push(take)));
    try {
      if (!this.#prepared.has(connection)) {
        await this.#preparation.connection(connection);
        this.#prepared.add(connection);
      }
      return await use(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(connection);
      else this.#idle.push(connection);
    }
  }
}

const progressSettings = [
  "SET enable_progress_bar = true",
  "SET enable_progress_bar_print = false",
  "SET progress_bar_time = 0",
];
