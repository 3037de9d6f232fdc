/** Starts engines like the service: built code, real processes, files in a temporary folder. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Column, Location } from "../../../contract";
import { FileStorage } from "../../../storage/file";
import type {
  CheckControl,
  Engine,
  EngineOptions,
  JobContext,
  TableDefinition,
} from "../../../service/core/ports/engine";
import type { DuckDBFamilyOptions } from "../../../service/engines/duckdb";

/** The built module; its types are those of the source. */
export const builtModule = join(__dirname, "../../../service/dist/service/engines/duckdb/index.js");

type Built = typeof import("../../../service/engines/duckdb");

/** Checks as for a submission whose caller waits. */
export const submission: CheckControl = { signal: new AbortController().signal, limited: true };

/** Records the progress and log lines of a job. */
export class Recorder implements JobContext {
  readonly lines: string[] = [];
  readonly steps: { readonly percent: number; readonly stage: number }[] = [];
  readonly jobIds: string[] = [];
  constructor(readonly signal: AbortSignal = new AbortController().signal) {}
  progress = (percent: number, stage: number) => void this.steps.push({ percent, stage });
  log = (line: string) => void this.lines.push(line);
  jobId = (id: string) => void this.jobIds.push(id);
}

/** A folder with data, and the engines that use it. */
export class Machine implements AsyncDisposable {
  readonly root = mkdtempSync(join(tmpdir(), "engine-"));
  readonly buckets: string;
  readonly storage: FileStorage;
  readonly #engines: Engine[] = [];
  #count = 0;

  /**
   * @param linked true to access the buckets through a symbolic link, as when `/tmp` is a link
   * @param directory folder of the buckets. @default one below the root
   */
  constructor({ linked = false, directory }: { readonly linked?: boolean; readonly directory?: string } = {}) {
    this.buckets = directory ?? join(this.root, "buckets");
    if (linked) {
      mkdirSync(join(this.root, "real"));
      symlinkSync("real", this.buckets);
    }
    for (const bucket of ["default", "out"]) mkdirSync(join(this.buckets, bucket), { recursive: true });
    this.storage = new FileStorage(this.buckets);
  }

  async start(options: Partial<EngineOptions> = {}, family: Partial<DuckDBFamilyOptions> = {}): Promise<Engine> {
    const { duckDbFamily } = (await import(builtModule)) as Built;
    const name = `c${++this.#count}`;
    const engine = await duckDbFamily({ storage: this.storage, ...family }).start({
      clusterName: name,
      debug: false,
      memoryBytes: 1_000_000_000,
      threads: 2,
      directory: this.directory(name),
      ...options,
    });
    this.#engines.push(engine);
    return engine;
  }

  /** Folder of the cluster with this name; engines are c1, c2, … in the order of their start. */
  directory(cluster: string): string {
    return join(this.root, "clusters", cluster);
  }

  /** Writes an object. */
  put(bucket: string, key: string, content: string | Uint8Array): Location {
    const path = join(this.buckets, bucket, key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return { bucket, key };
  }

  /** Defines a table of one object. */
  table(name: string, content: string | Uint8Array, options: Partial<TableDefinition> = {}): TableDefinition {
    this.put("default", `${name}/part-1`, content);
    return {
      database: "default",
      table: name,
      location: { bucket: "default", key: `${name}/` },
      format: "csv",
      ...options,
    };
  }

  /** Defines a table named `t` of several new objects. */
  tableOf(contents: readonly (string | Uint8Array)[], options: Partial<TableDefinition> = {}): TableDefinition {
    const key = `t${++this.#count}/`;
    contents.forEach((content, index) => this.put("default", `${key}part-${index}`, content));
    return { database: "default", table: "t", location: { bucket: "default", key }, format: "csv", ...options };
  }

  /** A new, empty folder for a job's output. */
  output(): Location {
    const key = `job-${++this.#count}/`;
    mkdirSync(join(this.buckets, "out", key), { recursive: true });
    return { bucket: "out", key };
  }

  /** Returns the objects of a folder by name. */
  objects(folder: Location): Record<string, string> {
    const path = this.storage.path(folder);
    const files = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isFile());
    const names = files.map(({ name }) => name).toSorted();
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(path, name), "utf8")]));
  }

  /** Runs a statement and returns its result as CSV or TSV text. */
  async run(
    engine: Engine,
    statement: string,
    tables: readonly TableDefinition[],
    { outputFormat = "csv" as "csv" | "tsv", context = new Recorder() as JobContext } = {},
  ): Promise<string> {
    const output = this.output();
    await engine.select({ queryId: ++this.#count, statement, tables, outputFormat, output }, context);
    return Object.values(this.objects(output)).join("");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#engines.map((engine) => engine.close()));
    rmSync(this.root, { recursive: true });
  }
}

/** Parses columns from a list such as `a int, b string`. */
export function columns(list: string): Column[] {
  return list.split(/,\s*(?![^(]*\))/).map((definition) => {
    const [name = "", type = ""] = definition.trim().split(/\s+/);
    return { name, type };
  });
}

/** A statement over a table `big` that runs longer than any test. */
export const endless = "SELECT count(*) FROM big a CROSS JOIN big b CROSS JOIN big c WHERE a.n * b.n > c.n + 0.5";

/** Rows for the table `big`. */
export const bigRows = Array.from({ length: 20_000 }, (_, index) => `${index}\n`).join("");
