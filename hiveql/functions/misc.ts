/** Hash functions, JSON, session information and conversions by type name. */
import { parseType } from "../tree/parse-type";
import { isColumn } from "../tree/facts";
import { macro, raw, sql } from "../sql/fragment";
import { javaHash } from "../sql/hash";
import { containsType, isNested, isVoid, quoteLiteral, typeName, types } from "../tree/types";
import { type CallSite, scalar, type ScalarFunction } from "./define";

/** Conversion functions: `int(x)` and Hive's internal name `udftointeger(x)` are CAST(x AS INT). */
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
    doc: "the same as CAST",
    takes: ["primitive"],
    returns: type,
    means: ([value], call) => {
      if (name === "boolean" && value.type.kind === name)
        throw call.invalid("does not accept a boolean: remove the call");
      return call.convert(value, type);
    },
  });
});

const release = "4.0.1 r3af4517eb8cfd9407ad34ed78a0b48b57dfaa264";

/** Declares a function that returns a text of the session. */
const sessionText = (names: string, doc: string, value: (call: CallSite) => string) =>
  scalar(names, {
    signature: `${names.split(" ")[0]}()`,
    doc,
    takes: [],
    returns: types.string,
    emit: (_values, call) => raw(quoteLiteral(value(call))),
  });

export const miscFunctions: readonly ScalarFunction[] = [
  scalar("hash", {
    signature: "hash(any value, …)",
    doc: "combines Java hash codes; the hash code of NULL is 0",
    takes: ["any"],
    variadic: true,
    returns: types.int,
    emit: (values, call) => javaHash(values, call.position),
  }),
  scalar("get_json_object", {
    signature: "get_json_object(string json, string path)",
    doc: "supports paths of keys and indexes, such as `$.store.fruit[0].name` and `$.store.fruit[*].name`",
    takes: ["text, number or date", "text, number or date"],
    returns: types.string,
    emit: ([json, path]) => {
      const keys = typeof path.constant === "string" ? plainKeys(path.constant) : undefined;
      if (!keys || json.type.kind !== "string") return sql`hive_json_object(${json}, ${path})`;
      const [last = ""] = keys.slice(-1);
      const twice = keys.map((key) => `"${key}".*"${key}"`).join("|");
      const others = String.raw`(?s)${twice}|,\s*[}\]]|[:\[,]\s*-?(?i:nan|inf)`;
      return macro("hive_json_path", json, path, ...[`/${keys.join("/")}`, `"${last}"`, others].map(quoteLiteral));
    },
  }),
  scalar("typeof", {
    signature: "typeof(any)",
    doc: "returns the type as Hive writes it",
    takes: ["any"],
    returns: types.string,
    emit: ([value], call) => {
      const name = typeName(value.type);
      // Hive gives nested decimals computed from literals the scale of their value, but not in all places.
      if (isNested(value.type) && containsType(value.type, ({ kind }) => kind === "decimal") && !isColumn(value))
        throw call.refused("has a computed array, map or struct with decimals as argument");
      return raw(quoteLiteral(name));
    },
  }),
  scalar("rand", {
    isVolatile: true,
    signature: "rand()",
    doc: "does not support a seed, because Hive's sequence depends on how rows are distributed",
    takes: ["any"],
    optional: 1,
    returns: types.double,
    emit: (values, call) => {
      if (values.length > 0) throw call.refused("has a seed: remove the argument");
      return raw("random()");
    },
  }),
  scalar("uuid", {
    isVolatile: true,
    signature: "uuid()",
    takes: [],
    returns: types.string,
    emit: () => raw("CAST(uuid() AS VARCHAR)"),
  }),
  scalar("assert_true", {
    signature: "assert_true(condition)",
    doc: "returns NULL; fails the query if the condition is false or NULL",
    takes: ["primitive"],
    returns: types.string,
    emit: ([condition], call) => {
      const holds = isVoid(condition.type) ? raw("FALSE") : call.convert(condition, types.boolean);
      return sql`CASE WHEN ${holds} THEN CAST(NULL AS VARCHAR) ELSE error('HiveQL: ASSERT_TRUE(): assertion failed.') END`;
    },
  }),
  sessionText(
    "current_database current_schema",
    "returns `default`, the database of names without one",
    () => "default",
  ),
  sessionText("current_user", "returns the access key id of the caller", ({ user }) => user),
  sessionText("current_catalog", "returns `hive`", () => "hive"),
  sessionText("version", "returns the version of Apache Hive 4.0.1, the reference release", () => release),
  ...casts,
];

/** Returns the keys of a path such as `$.user.name`; undefined for paths with anything else. */
const plainKeys = (path: string) => (/^\$(?:\.[A-Za-z_]\w*)+$/.test(path) ? path.split(".").slice(1) : undefined);
