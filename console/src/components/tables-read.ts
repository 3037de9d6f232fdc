/** The tables that a statement reads, as far as its text tells while it is being written. */

/** A table in FROM or JOIN. */
interface ReadTable {
  readonly database: string;
  readonly table: string;
  readonly alias?: string;
}

const clauseEnds =
  "select|from|join|where|group|having|order|limit|on|union|lateral|window|distribute|sort|cluster|left|right|full|inner|cross|tablesample";
const clause = new RegExp(`\\b(?:from|join)\\s+([^();]*?)(?=\\b(?:${clauseEnds})\\b|[();]|$)`, "gi");
const name = "(`[^`]+`|\\w+)";
const table = new RegExp(`^\\s*${name}(?:\\s*\\.\\s*${name})?(?:\\s+(?:as\\s+)?${name})?`, "i");

/** Returns the tables that a statement names in FROM and JOIN. */
export function tablesRead(statement: string): ReadTable[] {
  const text = statement.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|--.*/g, " ");
  return [...text.matchAll(clause)]
    .flatMap(([, list = ""]) => list.split(","))
    .flatMap((item) => {
      const [, first, second, alias] = (table.exec(item) ?? []).map((part) => part?.replaceAll("`", "").toLowerCase());
      if (first === undefined) return [];
      const given = alias === undefined ? {} : { alias };
      return [
        second === undefined
          ? { database: "default", table: first, ...given }
          : { database: first, table: second, ...given },
      ];
    });
}
