/** Functions of XML and XPath. */
import { macro, sql, type SqlExpression } from "../emit/fragment";
import { arrayOf, type HiveType, types } from "../bind/types";
import { scalar, type ScalarFunction } from "./define";

/** What a function computes; Hive fails where it is asked of NULL. */
const computed = (name: string, xml: SqlExpression, path: SqlExpression) =>
  macro("hive_of_xml", xml, path, sql`hive_xml_${name}(${xml}, ${path})`);

const valued = (names: string, type: HiveType, computes: string, doc: string) =>
  scalar(names, {
    signature: `${names.split(" ")[0]}(string xml, string path)`,
    doc,
    takes: ["text, number or date", "text, number or date"],
    returns: type,
    emit: ([xml, path]) => computed(computes, xml, path),
  });

const failing = "fails for NULL, for empty texts and where the path is none";
const whole = `is 0 where the path gives no number, and cut off as Java does; ${failing}`;

export const xmlFunctions: readonly ScalarFunction[] = [
  scalar("xpath", {
    signature: "xpath(string xml, string path)",
    doc: "is the values of texts, attributes and comments, in the order of the document; elements have none; is empty where the path is none; fails for NULL",
    takes: ["primitive", "primitive"],
    returns: arrayOf(types.string),
    emit: ([xml, path], call) => computed("nodes", call.convert(xml, types.string), call.convert(path, types.string)),
  }),
  scalar("xpath_string", {
    signature: "xpath_string(string xml, string path)",
    doc: "is the text of the first node, and NULL for empty texts and where the path is none",
    takes: ["text, number or date", "text, number or date"],
    returns: types.string,
    emit: ([xml, path]) => sql`hive_xml_string(${xml}, ${path})`,
  }),
  valued("xpath_boolean", types.boolean, "boolean", failing),
  valued("xpath_double xpath_number", types.double, "number", `is NaN where the path gives no number; ${failing}`),
  scalar("xpath_float", {
    signature: "xpath_float(string xml, string path)",
    doc: `is NaN where the path gives no number; ${failing}`,
    takes: ["text, number or date", "text, number or date"],
    returns: types.float,
    emit: ([xml, path]) => sql`CAST(${computed("number", xml, path)} AS FLOAT)`,
  }),
  valued("xpath_long", types.bigint, "long", whole),
  valued("xpath_int", types.int, "int", whole),
  valued("xpath_short", types.smallint, "short", whole),
];
