/**
 * A statement that the embedded engine has prepared for an engine on another server: its tables have no names any more,
 * and what is known of them says how to read their objects. The processes of the embedded engine send it, so it is a
 * schema.
 */
import * as z from "zod";
import { tableFormats } from "../../contract";

const column = z.strictObject({ name: z.string(), type: z.string() });

/** How another engine reads the objects of a table. */
const externalTable = z.strictObject({
  database: z.string(),
  table: z.string(),
  format: z.enum(tableFormats),
  /** The columns of the objects; one that a partition column hides has an empty type. */
  columns: z.array(column),
  /** The columns whose values the folders give, from the outermost folder. */
  partitions: z.array(column),
  /**
   * For Hive, the folders of the partitions that the statement needs, below the table's and with a slash at the end, with
   * their values; null is NULL.
   */
  folders: z.array(z.strictObject({ path: z.string(), values: z.array(z.string().nullable()) })),
  /** For Spark, the folders below the table's that have the needed partitions; empty for the whole table. */
  paths: z.array(z.string()),
  /** True when no object has a row. */
  isEmpty: z.boolean(),
  /** True when the first row of each object is a header. */
  header: z.boolean(),
  /** The lines that are headers wherever they are; empty when the table's headers are read in another way. */
  headerLines: z.array(z.string()),
  /** True when cells of tsv have escapes, such as `\t`. */
  escapes: z.boolean(),
  /** True when cells of csv are in quotes. */
  quotes: z.boolean(),
  /** True when rows with cells in quotes end at CR LF. */
  carriageReturns: z.boolean(),
});

/**
 * A part of a statement: text, or the place of a table. `origin` is its offset in the statement as submitted, in code
 * points; the text of a view has that of the view's name throughout.
 */
const part = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.enum(["text", "view text"]), text: z.string(), origin: z.number() }),
  z.strictObject({ kind: z.literal("table"), table: z.number(), origin: z.number() }),
]);

export const preparedStatement = z.strictObject({
  parts: z.array(part),
  /** In the order of the tables of the query. */
  tables: z.array(externalTable),
  /** The names of the output columns that are known from the statement alone, as Hive has them; null for those of a `*`. */
  names: z.array(z.string()).nullable(),
  /** What the user should know of how the tables are read. */
  notes: z.array(z.strictObject({ severity: z.enum(["warning", "note"]), text: z.string() })),
});

/** A statement whose tables have no names any more, with what is known of the tables. */
export type PreparedStatement = z.infer<typeof preparedStatement>;
/** How another engine reads the objects of a table. */
export type ExternalTable = PreparedStatement["tables"][number];
/** The engine that reads them, which decides what its statements may have. */
export type Reader = "hive" | "spark";
