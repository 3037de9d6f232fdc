/**
 * Refuses a table without declared columns whose objects contradict each other, so that no way to read them all is right:
 * by their names, their first rows, or the number of their cells.
 */
import { shortened, type InputFormat, type QueryNote } from "../../../../../contract";
import { EngineError } from "../../engine-errors";
import type { Cell } from "../rows";
import { defaultNames, headerNames, isHeader, SampledRows, type SampledColumn } from "./inference";

/** How the first objects of a table suggest to read it. */
export interface SuggestedFormat {
  readonly format: InputFormat;
  /** The columns, with the types of all sampled rows but the first rows of objects that are like a header. */
  readonly columns: readonly SampledColumn[];
  /** True when the names come from a header row. */
  readonly header: boolean;
}

/** The beginning of an object of the table. */
export interface ObjectBeginning {
  readonly location: string;
  /** True when its first row begins as a JSON object. */
  readonly isJson: boolean;
  /** Its first rows, without the header of the table; none for json. */
  readonly rows: readonly (readonly Cell[])[];
  /** True when it has the header of the table, which is not one of `rows`. */
  readonly hasHeader: boolean;
  /** False when its first row is data, whatever it is like. */
  readonly mayHaveHeader: boolean;
}

const declare = "declare the columns of the table";

/** The number of cells of an object's longest row. */
interface RowWidth {
  readonly location: string;
  readonly cells: number;
}

export class Contradictions {
  #first: ObjectBeginning | undefined;
  #widest: RowWidth | undefined;
  #narrowest: RowWidth | undefined;
  #likeHeader: QueryNote | undefined;

  constructor(private readonly suggested: SuggestedFormat) {}

  /** @throws EngineError when the object contradicts the first ones */
  add(object: ObjectBeginning): void {
    const first = (this.#first ??= object);
    if (this.suggested.format === "json") return;
    this.#checkJson(object, first);
    this.#checkHeader(object, first.location);
    this.#checkWidth(object, first.location);
  }

  /**
   * Returns what may be a contradiction, for the query's log.
   * @throws EngineError when objects have rows of one cell only, and others more
   */
  end(): QueryNote[] {
    const notes = this.#likeHeader === undefined ? [] : [this.#likeHeader];
    const [narrow, wide] = [this.#narrowest, this.#widest];
    if (!narrow || !wide || narrow.cells === wide.cells) return notes;
    if (narrow.cells > 1) {
      const less = `the first rows of ${narrow.location} have ${narrow.cells} cells, and those of ${wide.location} have ${wide.cells}`;
      return [...notes, { severity: "warning", text: `${less}: missing cells are NULL` }];
    }
    throw new EngineError(
      `the first rows of ${narrow.location} have one cell each, and ${wide.location} has rows of ${wide.cells}: move the one that is no part of the table to another folder, or ${declare}`,
    );
  }

  #checkJson({ location, isJson, mayHaveHeader }: ObjectBeginning, first: ObjectBeginning): void {
    // In a result, and where the first object has them too, they are texts of a column.
    if (!isJson || !mayHaveHeader || first.isJson) return;
    throw new EngineError(
      `${location} begins with a JSON object, and its table is read as ${this.suggested.format}, as ${first.location} is: move one of them to the folder of another table, or ${declare} if the object is the text of a cell`,
    );
  }

  #checkHeader({ location, rows: [row, ...others], hasHeader, mayHaveHeader }: ObjectBeginning, first: string) {
    if (row === undefined || hasHeader || !mayHaveHeader || !isHeader(row)) return;
    const { columns, header } = this.suggested;
    const names = columns.map(({ name }) => name);
    const isOther = header && headerNames(row).some((name) => names.includes(name));
    if (!isOther && !isAboveOtherTypes(row, others, columns)) {
      const why = header ? `that of ${first} is another one` : `${first} has none`;
      const text = `the first row of ${location} is like a header (${listed(row)}), and is read as data, because ${why}`;
      this.#likeHeader ??= { severity: "warning", text };
      return;
    }
    const found = header ? `others than ${first} (${listed(names)})` : `and ${first} does not`;
    const remedy = header ? "give all objects the same header" : "give all objects the same header, or none";
    throw new EngineError(
      `${location} begins with a row of names (${listed(row)}), ${found}: ${remedy}, or ${declare}`,
    );
  }

  #checkWidth({ location, rows, hasHeader }: ObjectBeginning, first: string): void {
    if (rows.length === 0) return;
    const cells = Math.max(...rows.map((row) => row.length));
    const names = this.suggested.columns.length;
    if (this.suggested.header) this.#widest ??= { location: first, cells: names };
    if (this.#widest === undefined || cells > this.#widest.cells) this.#widest = { location, cells };
    // One with the header says itself that its rows are short.
    if (!hasHeader && (this.#narrowest === undefined || cells < this.#narrowest.cells))
      this.#narrowest = { location, cells };
    const isLonger = rows.some((row) => row.slice(names).some((cell) => cell !== null && cell !== ""));
    if (this.suggested.header && isLonger) {
      const { format, columns } = this.suggested;
      throw longerThanHeader(location, format, { of: first, names: columns.map(({ name }) => name) });
    }
  }
}

/** Returns the error for an object with cells that no column has. @param header the object with the header, and its names */
export function longerThanHeader(
  location: string,
  format: InputFormat,
  { of, names }: { readonly of: string; readonly names: readonly string[] },
) {
  // In tsv quotes are characters like others.
  const separator =
    format === "tsv" ? String.raw`write a tab in a cell as \t` : "put cells with the separator in quotes";
  const remedy =
    format === "csv" && names.length === 1 && /[;|]/.test(names[0]!)
      ? "separate the cells by commas, and put those with a comma in quotes"
      : `name them all, ${separator}, or ${declare}`;
  const shown = names.length === 1 ? ` (${listed(names)})` : "";
  return new EngineError(
    `${location} has a row of more cells than the ${names.length} that the header of ${of} names${shown}: ${remedy}`,
  );
}

/** Returns true when a first row that is like a header is all that makes a column with values of a type a text. */
function isAboveOtherTypes(row: readonly Cell[], others: ObjectBeginning["rows"], columns: readonly SampledColumn[]) {
  const own = new SampledRows();
  for (const other of others) own.add(other);
  const types = own.columns(defaultNames(row.length));
  return columns
    .slice(0, row.length)
    .some(({ type }, index) => type !== "string" && (types[index]!.isUnseen || types[index]!.type !== "string"));
}

/**
 * Refuses objects whose names say that they have no rows, or another format than their table.
 * @param formatFound true when the format is that of the first object
 * @throws EngineError
 */
export function requireNames(
  objects: readonly { readonly location: string }[],
  { format, formatFound }: { readonly format: InputFormat; readonly formatFound: boolean },
): void {
  for (const { location } of objects) {
    requireRows(location);
    if (!formatFound || !hasOtherExtension(location, format)) continue;
    throw new EngineError(
      `${location} has the extension of another format than ${objects[0]!.location}, and its table is read as ${format}: move one of them to the folder of another table, or declare the table if all its objects have one format`,
    );
  }
}

/** Refuses an object whose name says that it has no rows. @throws EngineError */
function requireRows(location: string): void {
  const name = location.slice(location.lastIndexOf("/") + 1);
  if (!notRows.test(name)) return;
  throw new EngineError(
    `${location} is in the folder of a table, and its name is not that of an object with rows: move it to another folder, give it a name that begins with _ so that it is not read, or ${declare} if it has rows`,
  );
}

const notRows =
  /^(?:readme|licen[cs]e|notice|changelog|copying)(?:\.\w+)?$|\.(?:md|markdown|rst|adoc|html?|xml|pdf|docx?|xlsx?|png|jpe?g|gif|svg|py|sql|sh|ya?ml|toml|ini|md5|sha1|sha256|crc|bak|orig|swp)$|~$/i;

/** Returns true when an object's name says that its text has another format than its table. */
function hasOtherExtension(location: string, format: InputFormat): boolean {
  const [, extension] = /\.(csv|tsv|json|jsonl|ndjson|parquet)(?:\.gz)?$/i.exec(location) ?? [];
  if (extension === undefined) return false;
  const named = /json/i.test(extension) ? "json" : extension.toLowerCase();
  return named !== format;
}

const listed = (names: readonly Cell[]) => shortened(names.join(", "), 200);
