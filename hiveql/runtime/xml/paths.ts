/** XPath 1.0, for paths that Java evaluates as the standard says. */
import * as library from "xpath";
import type { XmlNode } from "./document";

/** A parsed path. */
export interface XmlPath {
  readonly evaluate: (options: { readonly node: XmlNode }) => XmlValue;
}

/** The result of a path. */
export interface XmlValue {
  readonly stringValue: () => string;
  readonly booleanValue: () => boolean;
  readonly numberValue: () => number;
  /** Throws when the result is not a node set. */
  readonly nodeset: () => { readonly toArray: () => readonly XmlNode[] };
}

/** The part of the XPath library that its own types do not declare. */
interface Library {
  readonly parse: (path: string) => XmlPath;
  readonly XString: { readonly prototype: object };
  readonly XNodeSet: { readonly prototype: object };
  readonly XNumber: { readonly prototype: object; new (value: number): { readonly num: number } };
}
const xpath = library as unknown as Library;

/** The form of numbers in Java's XPath, which accepts `5.` but neither `1e3` nor `+1`. */
const numberForm = /^[ \t\r\n]*-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[ \t\r\n]*$/;
const textToNumber = {
  number(this: { readonly stringValue: () => string }) {
    const text = this.stringValue();
    return new xpath.XNumber(numberForm.test(text) ? Number(text) : Number.NaN);
  },
  numberValue(this: { readonly number: () => { readonly num: number } }) {
    return this.number().num;
  },
};
Object.assign(xpath.XString.prototype, textToNumber);
Object.assign(xpath.XNodeSet.prototype, textToNumber);
Object.assign(xpath.XNumber.prototype, {
  numberFormat: numberForm,
  toString(this: { readonly num: number }) {
    return printedNumber(this.num);
  },
});

/** Prints a number as XPath's `string` does, without exponent. */
function printedNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const [digits = "", exponent] = Math.abs(value).toString().split("e");
  const sign = value < 0 ? "-" : "";
  if (exponent === undefined) return sign + digits;
  const [whole = "", fraction = ""] = digits.split(".");
  const power = Number(exponent);
  return power < 0
    ? `${sign}0.${"0".repeat(-power - whole.length)}${whole}${fraction}`
    : sign + whole + fraction.padEnd(power, "0");
}

const functions: ReadonlySet<string> = new Set(
  "last position count local-name name string concat starts-with contains substring-before substring-after substring string-length normalize-space translate boolean not true false number sum floor ceiling round"
    .split(" ")
    .concat(["node", "text", "comment", "processing-instruction"]),
);

/** Forms that Java parses or evaluates differently from the standard; tested on paths with emptied string literals. */
const divergentForms: readonly (readonly [form: RegExp, what: string])[] = [
  [/\$/, "a variable"],
  [/[^:]:[^:]/, "a prefix"],
  [
    /\b(?:namespace|preceding|following|descendant|descendant-or-self)\s*::/,
    "one of the axes namespace, preceding, following, descendant and descendant-or-self",
  ],
  [/\/\/[^]*::|::[^]*\/\//, "// together with an axis"],
  [/\/\/[^]*processing-instruction|processing-instruction[^]*\/\//, "// together with processing-instruction"],
  [/-\s*[-/]|[.)\]*@]-/, "an ambiguous minus"],
  [/[\w.]-(?!sibling::|or-self::|self::)[\w-]+\s*::/, "a minus before an axis"],
  [/[0-9.]{16}/, "a number of 16 or more characters"],
  [/[0-9.](?:and|or|div|mod)\b/, "an operator directly after a digit"],
  [/(?:^|[^\w)\]])[0-9.]*[0-9]\s*\[|''\s*\[/, "a predicate on a literal"],
  [/\b(?:position|last|true|false)\s*\(\s*[^)\s]/, "a function call with too many arguments"],
  [/\[\s*[0-9]*\.[0-9]*\s*\]|\[[^<>=]*\bdiv\b[^<>=]*\]/, "a fraction as position"],
];

/** Functions of Java's XPath that are not in {@link functions}. */
const javaOnlyFunctions: ReadonlySet<string> = new Set(
  "id lang namespace-uri current document key format-number generate-id system-property"
    .split(" ")
    .concat(["function-available", "element-available", "unparsed-entity-uri"]),
);

const axes: ReadonlySet<string> = new Set(
  "ancestor ancestor-or-self attribute child descendant descendant-or-self following following-sibling namespace parent preceding preceding-sibling self".split(
    " ",
  ),
);

/** Steps after a literal, which the library accepts and Java does not; string literals are emptied. */
const stepsOfLiteral = /(?:^|[^\w.)\]@'-])-?\.?[0-9][0-9.]*\s*\/|''\s*\//;

/** Forms that Java may accept and the library does not; string literals are emptied. */
const maybeValidInJava =
  /[^\w\s./@*()[\]=<>+|,'"!:-]|\s\(|(?:^|[^\w-])::|\*\s*\(|[0-9]\.(?![0-9])|[^:]:[^:]|(?:^|\W)-|\/\s+\/|(?:^|[([,:/@|=<>+-])\s*(?:and|or|div|mod)\b/;

/** Thrown for a path that Java refuses too. */
export class InvalidPath extends Error {}

/**
 * Parses a path.
 * @throws InvalidPath for a path that Java refuses too.
 * @throws Error for a path that Java evaluates differently from the standard.
 */
export function readPath(path: string): XmlPath {
  const plain = path.replaceAll(/"[^"]*"|'[^']*'/g, "''");
  const functionsUsed = [...plain.matchAll(/([\w.-]+)\s*\(/gu)].map(([, name = ""]) => name);
  const unknown = functionsUsed.find((name) => !functions.has(name) && !/^(?:and|or|div|mod)$/.test(name));
  const what =
    unknown === undefined ? divergentForms.find(([form]) => form.test(plain))?.[1] : `the function ${unknown}`;
  if (unknown !== undefined && !javaOnlyFunctions.has(unknown) && !maybeValidInJava.test(plain))
    throw new InvalidPath(`unknown XPath function ${unknown}`);
  if (what !== undefined) throw new Error(`${what} is not supported, because Java evaluates it differently`);
  const axis = [...plain.matchAll(/([A-Za-z_][\w.-]*)\s*::/g)].find(([, name = ""]) => !axes.has(name))?.[1];
  if (axis !== undefined) throw new InvalidPath(`unknown XPath axis ${axis}`);
  if (stepsOfLiteral.test(plain)) {
    if (plain.includes("|"))
      throw new Error("a literal with steps is not supported, because Java evaluates it differently");
    throw new InvalidPath("a literal cannot have steps");
  }
  try {
    return xpath.parse(path);
  } catch (error) {
    if (maybeValidInJava.test(plain)) throw error;
    throw new InvalidPath("invalid XPath", { cause: error });
  }
}

/** Returns true when Java finds prefixed names or CDATA texts by some steps of the path and not by others. */
export const differsFromJava = (path: string, document: XmlNode): boolean =>
  (document.hasPrefixes && /\/\/|::/.test(path)) || (document.hasCdata && /\/\//.test(path));
