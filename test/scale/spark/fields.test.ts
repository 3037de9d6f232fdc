import { expect, test } from "vitest";
import { dirtyTable } from "../../conformance/hive/dirty-table.mts";
import { useEngines } from "../harness";

const engines = useEngines("spark");
const { machine } = engines;

test.each([1, 2])(
  "fields: each text is the value that the embedded engine reads, for every type (%d)",
  async (seed) => {
    const { columns: typed, fields = [] } = dirtyTable(seed, 1000);
    const list = typed.map(({ name, type }) => ({ name, type }));
    // The embedded engine takes two signs.
    const isPlain = (row: readonly string[]) => !row.some((field) => /[\t\n\r]|\+-/.test(field));
    const rows = fields.filter(isPlain).map((row) => row.join("\t"));
    const table = machine.tableOf([`${rows.join("\n")}\n`], { format: "tsv", columns: list });
    const shown = list.map(({ name, type }) => (type === "binary" ? `hex(${name})` : name));
    const statement = `SELECT ${shown.join(", ")} FROM t ORDER BY id`;
    const read = async (engine: typeof engines.remote) =>
      (await machine.run(engine, statement, [table], { outputFormat: "tsv" }))
        .split("\n")
        .map((row) => row.split("\t"));
    const [expected, answer] = [await read(engines.embedded), await read(engines.remote)];
    const differences = expected.flatMap((row, index) =>
      row.flatMap((cell, column) => {
        const other = answer[index]?.[column];
        const text = rows[index]?.split("\t")[column];
        return cell === other ? [] : [`${list[column]?.type} ${JSON.stringify(text)}: ${cell} and not ${other}`];
      }),
    );
    expect(differences).toEqual([]);
  },
);
