/** HiveQL for the editor and for highlighting: one dialect for both. Loaded when it is needed. */
import { SQLDialect } from "@codemirror/lang-sql";
import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";

const keywords =
  "all and anti any array as asc between both by case cast cluster collate cross cube current current_date current_timestamp date day dayofweek desc distinct distribute else end escape every except exists explode extract false filter first following for from full functions group grouping having hour if ilike in inner intersect interval into is join last lateral leading left like limit map minus minute month named_struct natural not null nulls of offset on or order outer over overlay partition posexplode preceding quarter range recursive regexp right rlike rollup row rows second select semi set sets some sort stack struct substring table tablesample then timestamp to trailing true unbounded union unique values view week when where window with within year";
const types =
  "tinyint smallint int integer bigint boolean float double string binary timestamp date decimal numeric varchar char array map struct interval";
const builtins =
  "abs avg ceil coalesce collect_list collect_set concat concat_ws count date_add date_format date_sub datediff dense_rank explode floor from_json from_unixtime get_json_object greatest hash if instr lag lead least length lower max min months_between ntile nvl percentile percentile_approx rand rank regexp_extract regexp_replace round row_number size split sqrt stddev substr sum to_date trim unix_timestamp upper variance";

/** The dialect. */
export const hiveql = SQLDialect.define({
  keywords,
  types,
  builtin: builtins,
  identifierQuotes: "`",
  doubleQuotedStrings: true,
  backslashEscapes: true,
  hashComments: false,
  spaceAfterDashes: false,
  charSetCasts: false,
});

/** Completes a column; a name that is no plain word, such as `_c0` or `user-id`, in the backticks that HiveQL requires. */
export const columnCompletion = (name: string) => ({
  label: name,
  type: "property",
  ...(/^[a-z][a-z_\d]*$/i.test(name) ? {} : { apply: `\`${name}\`` }),
});

/** Names of the classes in the stylesheet. */
export const highlighter = tagHighlighter([
  { tag: tags.keyword, class: "hl-keyword" },
  { tag: tags.typeName, class: "hl-type" },
  { tag: tags.standard(tags.name), class: "hl-function" },
  { tag: tags.string, class: "hl-string" },
  { tag: tags.number, class: "hl-number" },
  { tag: tags.bool, class: "hl-number" },
  { tag: tags.null, class: "hl-number" },
  { tag: tags.lineComment, class: "hl-comment" },
  { tag: tags.blockComment, class: "hl-comment" },
  { tag: tags.operator, class: "hl-operator" },
]);

/** A piece of a statement with its class; empty for plain text. */
export interface Piece {
  readonly text: string;
  readonly className: string;
}

/** Splits a statement into pieces. */
export function highlight(statement: string): Piece[] {
  const pieces: Piece[] = [];
  const tree = hiveql.language.parser.parse(statement);
  highlightCode(
    statement,
    tree,
    highlighter,
    (text, className) => pieces.push({ text, className }),
    () => pieces.push({ text: "\n", className: "" }),
  );
  return pieces;
}
