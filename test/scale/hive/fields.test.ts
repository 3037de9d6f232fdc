import { expect, test } from "vitest";
import { dirtyTable } from "../../conformance/hive/dirty-table.mts";
import { useEngines } from "../harness";

const engines = useEngines("hive");
const { machine } = engines;

test("fields: each text in quotes, and each member of JSON, is the value that the embedded engine reads", async () => {
  const { columns: typed, fields = [] } = dirtyTable(1, 500);
  const used = typed.flatMap(({ name, type }, index) => (/^(?:char|binary)/.test(type) ? [] : [{ name, type, index }]));
  const list = used.map(({ name, type }) => ({ name, type }));
  // The embedded engine takes two signs.
  const isLeftOut = (field: string) =>
    [..."\t\n\r\0\u0001"].some((character) => field.includes(character)) || /\+-|^\\N$/.test(field);
  const isPlain = (row: readonly string[]) => !row.some(isLeftOut);
  const rows = fields.filter(isPlain).map((row) => used.map(({ index }) => row[index] ?? ""));
  const csv = rows.map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(",")).join("\n");
  const json = rows.map((row) => JSON.stringify(Object.fromEntries(used.map(({ name }, index) => [name, row[index]]))));
  const differences: string[] = [];
  for (const [format, content] of [
    ["csv", csv],
    ["json", json.join("\n")],
  ] as const) {
    const table = machine.tableOf([`${content}\n`], { format, columns: list });
    const read = async (engine: typeof engines.remote) =>
      (await machine.run(engine, "SELECT * FROM t ORDER BY id", [table], { outputFormat: "tsv" }))
        .split("\n")
        .map((row) => row.split("\t"));
    const [expected, answer] = [await read(engines.embedded), await read(engines.remote)];
    for (const [index, row] of expected.entries()) {
      for (const [column, cell] of row.entries()) {
        const other = answer[index]?.[column];
        if (cell === other) continue;
        differences.push(
          `${format} ${list[column]?.type} ${JSON.stringify(rows[index]?.[column])}: ${cell} and not ${other}`,
        );
      }
    }
  }
  expect(differences).toEqual([]);
});
