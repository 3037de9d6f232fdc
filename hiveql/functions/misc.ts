/** Hashes, JSON, and what belongs nowhere else. */
import { isColumn, raw, readsColumns, sql, typed, type SqlExpression } from "../emit/fragment";
import { javaHash, murmurHash } from "../emit/hash";
import { unlessWrapped } from "../quirks/short-decimals";
import { castOf } from "../rules/text-casts";
import { isFoldedChar } from "../emit/patterns";
import { isNested, isText, isVoid, parseType, quoteString, typeName, types } from "../bind/types";
import { scalar, type ScalarFunction } from "./define";

/** Types whose names are functions: `int(x)` is CAST(x AS INT), and so is Hive's own name for it. */
const casts = [
  "boolean udftoboolean",
  "tinyint udftobyte",
  "smallint udftoshort",
  "int udftointeger",
  "bigint udftolong",
  "float udftofloat",
  "double udftodouble",
  "string",
  "binary",
].map((names) => {
  const [name = ""] = names.split(" ");
  const type = parseType(name) ?? types.string;
  return scalar(names, {
    signature: `${name}(primitive)`,
    doc: "converts as CAST does",
    takes: ["primitive"],
    returns: type,
    emit: ([value], call) => {
      if (name === "boolean" && value.type.kind === name) throw call.invalid("takes no boolean: leave it out");
      return unlessWrapped(value, castOf(value, type) ?? call.convert(value, type));
    },
  });
});

export const miscFunctions: readonly ScalarFunction[] = [
  scalar("hash", {
    signature: "hash(any value, …)",
    doc: "is made of Java's hash codes; NULL counts as 0",
    takes: ["any"],
    variadic: true,
    returns: types.int,
    emit: (values, call) => {
      const isComputed = (value: SqlExpression) => isText(value.type) && value.constant === undefined && !readsColumns(value);
      const mayHaveSpaces = values.some((value) => isFoldedChar(value) || isComputed(value));
      if (mayHaveSpaces && values.some(({ type }) => isNested(type)))
        throw call.refused(
          "of a char of literals beside a complex value, whose spaces Hive counts there: cast it to string",
        );
      return javaHash(values, call.position);
    },
  }),
  scalar("murmur_hash", {
    signature: "murmur_hash(any value, …)",
    doc: "is what the buckets of tables and of TABLESAMPLE are made of",
    takes: ["any"],
    variadic: true,
    returns: types.int,
    emit: (values, call) => {
      // Hive also reads what its buffers hold behind the bytes.
      if (values.some((value) => value.type.kind === "binary"))
        throw call.refused("of a binary is not supported by the embedded engine");
      return murmurHash(values, call.position);
    },
  }),
  scalar("get_json_object", {
    signature: "get_json_object(string json, string path)",
    doc: "takes paths of keys and indexes, such as $.store.fruit[0].name and $.store.fruit[*].name",
    takes: ["text, number or date", "text, number or date"],
    returns: types.string,
    emit: ([json, path]) => sql`hive_json_object(${json}, ${path})`,
  }),
  scalar("typeof", {
    signature: "typeof(any)",
    doc: "is the type as Hive writes it",
    takes: ["any"],
    returns: types.string,
    emit: ([value], call) => {
      const name = typeName(value.type);
      // Hive gives what literals make within them the digits of its value, in places.
      if (isNested(value.type) && name.includes("decimal") && !isColumn(value))
        throw call.refused("of decimals within a value that is no column is not supported by the embedded engine");
      return typed(raw(quoteString(name)), types.string, name);
    },
  }),
  scalar("rand", {
    signature: "rand()",
    doc: "is refused with a seed: Hive's sequence depends on how rows are shared out",
    takes: ["any"],
    optional: 1,
    returns: types.double,
    emit: (values, call) => {
      if (values.length > 0) throw call.refused("with a seed is not supported by the embedded engine");
      return raw("random()");
    },
  }),
  scalar("uuid", {
    signature: "uuid()",
    takes: [],
    returns: types.string,
    emit: () => raw("CAST(uuid() AS VARCHAR)"),
  }),
  scalar("assert_true", {
    signature: "assert_true(condition)",
    doc: "is NULL, and fails the query where the condition is false or NULL",
    takes: ["primitive"],
    returns: types.string,
    emit: ([condition], call) => {
      const holds = isVoid(condition.type) ? raw("FALSE") : call.convert(condition, types.boolean);
      return sql`CASE WHEN ${holds} THEN CAST(NULL AS VARCHAR) ELSE error('ASSERT_TRUE(): assertion failed.') END`;
    },
  }),
  scalar("current_database current_schema", {
    signature: "current_database()",
    doc: "is default, where table names without a database are looked up",
    takes: [],
    returns: types.string,
    emit: () => raw("'default'"),
  }),
  scalar("current_catalog", {
    signature: "current_catalog()",
    doc: "is hive",
    takes: [],
    returns: types.string,
    emit: () => raw("'hive'"),
  }),
  scalar("version", {
    signature: "version()",
    doc: "is that of the release whose answers these are, Apache Hive 4.0.1",
    takes: [],
    returns: types.string,
    emit: () => raw("'4.0.1 r3af4517eb8cfd9407ad34ed78a0b48b57dfaa264'"),
  }),
  ...casts,
];
