/** `npm run conformance -- DIR --cluster NAME`: the golden cases of a folder on a cluster of another server. */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports/engine";
import { Recorder, submission } from "../../contract/engine/harness";
import { useEngines } from "../../scale/harness";
import { type GoldenCase, type GoldenTable, readCases, readTables } from "./folder.mts";
import type { ServerResult, ServerRun } from "./on-servers.mts";
import { sameRows } from "./rows.mts";

const { directory, cluster, place, out } = JSON.parse(process.env["DAG_CONFORMANCE"]!) as ServerRun;
const engines = useEngines(cluster, place);
const definitions = new Map<string, Pick<TableDefinition, "location" | "columns">>();

test("golden: each case of the folder is asked", { timeout: 7_200_000 }, async () => {
  for (const table of readTables(directory)) writeTable(table);
  const cases = readCases(directory);
  const left = cases.values();
  const asks = Array.from({ length: 2 }, async () => {
    for (const each of left) appendFileSync(out, `${JSON.stringify(await ask(each))}\n`);
  });
  await Promise.all(asks);
  expect(readFileSync(out, "utf8").trim().split("\n")).toHaveLength(cases.length);
});

/** Runs a case on the cluster, and on the embedded engine too if the answer is not Hive's. */
async function ask(golden: GoldenCase): Promise<ServerResult> {
  const { id, set } = golden;
  const result = await answer(engines.remote, golden);
  const settings = set.length > 0 ? { set } : {};
  if (result.outcome === "same") return { id, ...settings, ...result };
  return { id, ...settings, ...result, embedded: (await answer(engines.embedded, golden)).outcome };
}

async function answer(engine: Engine, { query, tables, expected, ordered }: GoldenCase) {
  const named = Object.entries(tables).map(([name, hash]): TableDefinition => {
    return { database: "default", table: name.toLowerCase(), format: "tsv", ...definitions.get(hash)! };
  });
  try {
    await engine.checkSelect({ statement: query, tables: named }, submission);
    const options = { outputFormat: "tsv", context: new Recorder() } as const;
    const got = (await engines.machine.run(engine, query, named, options)).split("\n").slice(0, -1).map(hiveRow);
    if (sameRows(expected, got, { isOrdered: ordered, by: [] })) return { outcome: "same" } as const;
    const isSameSet = sameRows(expected, got, { isOrdered: false, by: [] });
    return { outcome: isSameSet ? "otherOrder" : "different", got } as const;
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string };
    return { outcome: code === "InvalidDMLStatement" ? "refused" : "failed", message } as const;
  }
}

const controls: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const characters: Readonly<Record<string, string>> = { "\\": "\\", t: "\t", n: "\n", r: "\r" };

/** Writes the rows of a table as tsv, whose fields every engine reads alike. */
function writeTable({ table, file, columns }: GoldenTable): void {
  const isNull = (value: string, quoting: boolean) => !quoting && value === "\\N";
  const rows: (string | null)[][] = parse(readFileSync(join(directory, file)), {
    relax_column_count: true,
    cast: (value, { quoting }) => (isNull(value, quoting) ? null : value),
  });
  const field = (value: string | null) => value?.replace(/[\\\t\n\r]/g, (found) => controls[found]!) ?? "\\N";
  const text = rows.map((row) => `${row.map(field).join("\t")}\n`).join("");
  engines.machine.put("default", `golden-${table}/part-1`, text);
  definitions.set(table, {
    location: { bucket: "default", key: `golden-${table}/` },
    columns: columns.map(([name, type]) => ({ name, type })),
  });
}

/** Turns a row of a tsv result into Hive's output format. */
function hiveRow(row: string): string {
  const cells = row.split("\t").map((cell) => {
    return cell === "\\N" ? "NULL" : cell.replace(/\\([\\tnr])/g, (_, letter: string) => characters[letter]!);
  });
  return cells.join("\t");
}
