/** Tables of Parquet objects that DuckDB writes, for tests of an engine. */
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports/engine";
import { Machine } from "./harness";

class ParquetMachine extends Machine {
  #writer: DuckDBConnection | undefined;
  #serial = 0;

  /** Defines a table `t` of Parquet objects, each written by DuckDB from a SELECT. */
  async parquetTable(
    objects: Record<string, string>,
    options: Partial<TableDefinition> = {},
  ): Promise<TableDefinition> {
    const key = `p${(this.#serial += 1)}/`;
    for (const [name, select] of Object.entries(objects))
      await this.write(join(this.buckets, "default", key, name), select);
    return { database: "default", table: "t", location: { bucket: "default", key }, format: "parquet", ...options };
  }

  async write(path: string, select: string): Promise<void> {
    this.#writer ??= await openWriter();
    mkdirSync(dirname(path), { recursive: true });
    await this.#writer.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
  }

  putObject({ location }: TableDefinition, name: string, content: Buffer): void {
    const folder = join(this.buckets, "default", location.key);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), content);
  }

  /** Runs a select and returns the lines of its result. */
  async rowsOf(engine: Engine, statement: string, ...tables: TableDefinition[]): Promise<string[]> {
    return (await this.run(engine, statement, tables)).replace(/\n$/, "").split("\n");
  }
}

/** Starts an engine for the tests of a file. Returns how they make its tables and run statements. */
export function parquetTests() {
  const machine = new ParquetMachine();
  let engine: Engine;
  beforeAll(async () => void (engine = await machine.start()));
  afterAll(() => machine[Symbol.asyncDispose]());
  return {
    machine,
    engine: () => engine,
    tableOf: machine.parquetTable.bind(machine),
    put: machine.putObject.bind(machine),
    run: (statement: string, ...tables: TableDefinition[]) => machine.rowsOf(engine, statement, ...tables),
  };
}

async function openWriter(): Promise<DuckDBConnection> {
  const writer = await (await DuckDBInstance.create(":memory:")).connect();
  await writer.run("SET TimeZone = 'UTC'");
  return writer;
}
