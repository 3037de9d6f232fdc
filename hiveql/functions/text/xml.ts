/** XPath functions. */
import { macro, sql } from "../../tree/fragment";
import type { Typed } from "../../tree/nodes";
import { arrayOf, type HiveType, types } from "../../tree/types";
import { scalar, type ScalarFunction } from "../define";

/** Computes an XPath function; like Hive it fails for NULL arguments. */
const computeXpath = (name: string, xml: Typed, path: Typed) =>
  macro("hive_of_xml", xml, path, sql`hive_xml_${name}(${xml}, ${path})`);

const xpathFunction = (names: string, type: HiveType, computes: string, doc: string) =>
  scalar(names, {
    signature: `${names.split(" ")[0]}(string xml, string path)`,
    doc,
    takes: ["text, number or date", "text, number or date"],
    returns: type,
    emit: ([xml, path]) => computeXpath(computes, xml, path),
  });

const failures = "fails for NULL, for empty strings and for an invalid path";
const integerDoc = `returns 0 if the result is no number, and truncates as Java does; ${failures}`;

export const xmlFunctions: readonly ScalarFunction[] = [
  scalar("xpath", {
    signature: "xpath(string xml, string path)",
    doc: "returns the values of text nodes, attributes and comments in document order, and none for elements; returns an empty array for an invalid path; fails for NULL",
    takes: ["primitive", "primitive"],
    returns: arrayOf(types.string),
    emit: ([xml, path], call) =>
      computeXpath("nodes", call.convert(xml, types.string), call.convert(path, types.string)),
  }),
  scalar("xpath_string", {
    signature: "xpath_string(string xml, string path)",
    doc: "returns the text of the first node, and NULL for empty strings and an invalid path",
    takes: ["text, number or date", "text, number or date"],
    returns: types.string,
    emit: ([xml, path]) => sql`hive_xml_string(${xml}, ${path})`,
  }),
  xpathFunction("xpath_boolean", types.boolean, "boolean", failures),
  xpathFunction(
    "xpath_double xpath_number",
    types.double,
    "number",
    `returns NaN if the result is no number; ${failures}`,
  ),
  scalar("xpath_float", {
    signature: "xpath_float(string xml, string path)",
    doc: `returns NaN if the result is no number; ${failures}`,
    takes: ["text, number or date", "text, number or date"],
    returns: types.float,
    emit: ([xml, path]) => sql`CAST(${computeXpath("number", xml, path)} AS FLOAT)`,
  }),
  xpathFunction("xpath_long", types.bigint, "long", integerDoc),
  xpathFunction("xpath_int", types.int, "int", integerDoc),
  xpathFunction("xpath_short", types.smallint, "short", integerDoc),
];
