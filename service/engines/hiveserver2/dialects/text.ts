/** Texts and names in the SQL of both dialects, and the text of a row of a result. */
import type { OutputFormat } from "../../../../contract";

/** Returns a text as a literal. */
export function literal(text: string): string {
  const escaped = text.replace(/[\\'\n\r\t]/g, (character) => escapes[character] ?? character);
  return `'${escaped}'`;
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** The name of the submitted statement where another one reads its rows. */
export const resultName = "dag_result";

export const quoteName = (name: string) => `\`${name.replaceAll("`", "``")}\``;

export const isText = (type: string) => /^(?:string|varchar|char)\b/.test(type);

/** The escapes of a cell of tsv. The backslash is the first to be written. */
const tsvEscapes = [
  ["\\", "\\\\"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\r", "\\r"],
] as const;

/** Stands for a backslash while the other escapes are read; the objects do not contain it. */
const escapePlaceholder = "\u0001";

/** Returns the text of a cell of tsv without its escapes; the cell must not contain U+0001. */
export function unescapedText(cell: string): string {
  const [[backslash, twice], ...others] = tsvEscapes;
  const steps = [
    [twice, escapePlaceholder],
    ...others.map(([to, from]) => [from, to] as const),
    [escapePlaceholder, backslash],
  ] as const;
  return steps.reduce((inner, [from, to]) => `replace(${inner}, ${controlled(from)}, ${controlled(to)})`, cell);
}

const controlled = (text: string) => (text === escapePlaceholder ? "'\\u0001'" : literal(text));

/** Returns the text of a row: its cells as the embedded engine writes them, with `\N` for NULL. */
export function rowText(texts: readonly string[], format: OutputFormat): string {
  const cells = texts.map((text) => {
    const written = format === "csv" ? csvCell(text, texts.length) : tsvCell(text);
    return `nvl(${written}, ${literal("\\N")})`;
  });
  return `concat_ws(${literal(format === "csv" ? "," : "\t")}, ${cells.join(", ")})`;
}

function csvCell(text: string, columnCount: number): string {
  const quoted = columnCount === 1 ? '[",\\r\\n]' : '[",#\\r\\n]';
  const special = `${text} RLIKE ${literal(quoted)} OR ${text} = ${literal("\\N")}`;
  const condition = columnCount === 1 ? `${special} OR ${text} = ''` : special;
  return `IF(${condition}, concat('"', replace(${text}, '"', '""'), '"'), ${text})`;
}

const tsvCell = (text: string) =>
  tsvEscapes.reduce((inner, [from, to]) => `replace(${inner}, ${literal(from)}, ${literal(to)})`, text);
