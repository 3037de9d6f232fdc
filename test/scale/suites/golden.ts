/** Statements with tables, groups, joins and windows: the answers of a cluster on another server are those of the embedded engine. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { TableDefinition } from "../../../service/core/ports/engine";
import { type GoldenCase, readCases, readTables } from "../../conformance/golden/folder.mts";
import { Recorder, submission } from "../../contract/engine/harness";
import { ofToday } from "../../today";
import { type DialectName, type Place, useEngines } from "../harness";

const folder = join(__dirname, "../../conformance/golden/cases");
const cases = readCases(folder);
const tables = readTables(folder);

/** Their results have arrays. */
const nested = new Set(["attributes_of_text", "percentiles"]);

/** Declares the tests. @param differing the rules by which answers of the dialect differ, by case */
export function goldenSuite(
  dialect: DialectName,
  {
    differing = {},
    place = "files",
  }: { readonly differing?: Readonly<Record<string, string>>; readonly place?: Place } = {},
): void {
  const engines = useEngines(dialect, place);
  const { machine } = engines;
  const definitions = new Map<string, TableDefinition>();

  /** Writes each table as tsv, as the documentation tells users whose csv has quotes. */
  beforeAll(async () => {
    for (const { table, file, columns } of tables) {
      const list = columns.map(([name, type]) => ({ name, type }));
      const source = machine.table(`source_${table}`, readFileSync(join(folder, file)), { columns: list });
      const location = { bucket: "default", key: `${table}/` };
      const output = machine.output();
      const statement = `SELECT * FROM source_${table}`;
      const job = { queryId: 1, statement, tables: [source], outputFormat: "tsv", output } as const;
      await engines.embedded.select(job, new Recorder());
      machine.put("default", `${table}/part-1`, Object.values(machine.objects(output)).join(""));
      definitions.set(table, { database: "default", table, location, format: "tsv", columns: list });
    }
  });

  // On S3 the statements are the same, and only the objects are read and written otherwise.
  const runnable = ofToday(
    cases.filter(({ id, set }) => set.length === 0 && !nested.has(id)),
    place === "s3" ? 5 : 1,
  );

  test.each(cases.filter(({ id }) => nested.has(id)))("select: $id is refused, with the column", async ({ query }) => {
    const named = await engines.embedded.tablesRead(query, submission);
    const read = named.map(({ table }) => definitions.get(table)!);
    await expect(engines.remote.checkSelect({ statement: query, tables: read }, submission)).rejects.toMatchObject({
      code: "InvalidDMLStatement",
      message: expect.stringMatching(/column ".*" of the result is (?:an )?array/),
    });
  });

  const compare = async ({ query, ordered }: GoldenCase) => {
    const named = await engines.embedded.tablesRead(query, submission);
    const read = named.map(({ table }) => definitions.get(table)!);
    const rows = (text: string) => (ordered ? text : text.split("\n").toSorted().join("\n"));
    const expected = rows(await machine.run(engines.embedded, query, read));
    const answer = await machine.run(engines.remote, query, read).then(rows, (error: Error) => error.message);
    return { expected, answer };
  };

  // versitygw cannot copy the mark of an empty folder, which is what Hive moves for a result without rows.
  const movesEmptyFolders = dialect !== "hive" || place !== "s3";
  const same = runnable.filter(({ id }) => differing[id] === undefined);
  test.each(same)("select: $id has the embedded engine's answer, byte for byte", async (each) => {
    const { expected, answer } = await compare(each);
    const isGap = expected === "" && !movesEmptyFolders;
    expect(isGap ? answer.includes("return code 3") : answer).toBe(isGap || expected);
  });

  const others = runnable.flatMap((each) => (differing[each.id] ? [{ ...each, rule: differing[each.id]! }] : []));
  if (others.length === 0) return;
  test.each(others)("select: $id has another answer: $rule", async (each) => {
    const { expected, answer } = await compare(each);
    expect(answer).not.toBe(expected);
  });
}
