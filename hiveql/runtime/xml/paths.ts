/** XPath 1.0 as Java evaluates it, where it does so as the standard says. */
import * as library from "xpath";
import type { XmlNode } from "./document";

/** A path that can be evaluated. */
export interface XmlPath {
  readonly evaluate: (options: { readonly node: XmlNode }) => XmlValue;
}

/** What a path gives. */
export interface XmlValue {
  readonly stringValue: () => string;
  readonly booleanValue: () => boolean;
  readonly numberValue: () => number;
  /** Throws where the path gives no nodes. */
  readonly nodeset: () => { readonly toArray: () => readonly XmlNode[] };
}

/** The part of the library that its own types leave out. */
interface Library {
  readonly parse: (path: string) => XmlPath;
  readonly XString: { readonly prototype: object };
  readonly XNodeSet: { readonly prototype: object };
  readonly XNumber: { readonly prototype: object; new (value: number): { readonly num: number } };
}
const xpath = library as unknown as Library;

/** Numbers are read and printed as Java's XPath does, which takes `5.` but neither `1e3` nor `+1`, and prints no exponents. */
const numberForm = /^[ \t\r\n]*-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[ \t\r\n]*$/;
const ofText = {
  number(this: { readonly stringValue: () => string }) {
    const text = this.stringValue();
    return new xpath.XNumber(numberForm.test(text) ? Number(text) : Number.NaN);
  },
  numberValue(this: { readonly number: () => { readonly num: number } }) {
    return this.number().num;
  },
};
Object.assign(xpath.XString.prototype, ofText);
Object.assign(xpath.XNodeSet.prototype, ofText);
Object.assign(xpath.XNumber.prototype, {
  numberFormat: numberForm,
  toString(this: { readonly num: number }) {
    return printedNumber(this.num);
  },
});

/** A number as XPath's `string` makes it: never with an exponent. */
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

/** What Java evaluates in a way of its own, or reads otherwise, outside of quotes. */
const otherwise: readonly (readonly [form: RegExp, what: string])[] = [
  [/\$/, "a variable"],
  [/[^:]:[^:]/, "a prefix"],
  [/\b(?:namespace|preceding|following|descendant|descendant-or-self)\s*::/, "such an axis"],
  [/\/\/[^]*::|::[^]*\/\//, "// beside an axis"],
  [/\/\/[^]*processing-instruction|processing-instruction[^]*\/\//, "// beside processing-instruction"],
  [/-\s*[-/]|[.)\]*@]-/, "a minus that may be read otherwise"],
  [/[\w.]-(?!sibling::|or-self::|self::)[\w-]+\s*::/, "a minus before an axis"],
  [/[0-9.]{16}/, "a number of so many digits"],
  [/[0-9.](?:and|or|div|mod)\b/, "an operator behind a digit"],
  [/(?:^|[^\w)\]])[0-9.]*[0-9]\s*\[|''\s*\[/, "a condition of a literal"],
  [/\b(?:position|last|true|false)\s*\(\s*[^)\s]/, "an argument too many"],
  [/\[\s*[0-9]*\.[0-9]*\s*\]|\[[^<>=]*\bdiv\b[^<>=]*\]/, "a fraction as a position"],
];

/** Functions that Java knows beyond those of {@link functions}. */
const otherFunctions: ReadonlySet<string> = new Set(
  "id lang namespace-uri current document key format-number generate-id system-property"
    .split(" ")
    .concat(["function-available", "element-available", "unparsed-entity-uri"]),
);

const axes: ReadonlySet<string> = new Set(
  "ancestor ancestor-or-self attribute child descendant descendant-or-self following following-sibling namespace parent preceding preceding-sibling self".split(
    " ",
  ),
);

/** Steps behind a literal, which the library takes and Java does not; quotes are emptied. */
const stepsOfLiteral = /(?:^|[^\w.)\]@'-])-?\.?[0-9][0-9.]*\s*\/|''\s*\//;

/** What Java may read where the library does not, outside of quotes. */
const perhapsRead =
  /[^\w\s./@*()[\]=<>+|,'"!:-]|\s\(|(?:^|[^\w-])::|\*\s*\(|[0-9]\.(?![0-9])|[^:]:[^:]|(?:^|\W)-|\/\s+\/|(?:^|[([,:/@|=<>+-])\s*(?:and|or|div|mod)\b/;

/** What is no path, to Java neither. */
export class InvalidPath extends Error {}

/**
 * Reads a path.
 * @throws InvalidPath for what is no path.
 * @throws Error for what Java evaluates in a way of its own.
 */
export function readPath(path: string): XmlPath {
  const plain = path.replaceAll(/"[^"]*"|'[^']*'/g, "''");
  const functionsUsed = [...plain.matchAll(/([\w.-]+)\s*\(/gu)].map(([, name = ""]) => name);
  const unknown = functionsUsed.find((name) => !functions.has(name) && !/^(?:and|or|div|mod)$/.test(name));
  const what = unknown === undefined ? otherwise.find(([form]) => form.test(plain))?.[1] : `the function ${unknown}`;
  if (unknown !== undefined && !otherFunctions.has(unknown) && !perhapsRead.test(plain))
    throw new InvalidPath(`there is no function ${unknown}`);
  if (what !== undefined) throw new Error(`${what} is not evaluated as Java does`);
  const axis = [...plain.matchAll(/([A-Za-z_][\w.-]*)\s*::/g)].find(([, name = ""]) => !axes.has(name))?.[1];
  if (axis !== undefined) throw new InvalidPath(`there is no axis ${axis}`);
  if (stepsOfLiteral.test(plain)) {
    if (plain.includes("|")) throw new Error("a literal with steps is not evaluated as Java does");
    throw new InvalidPath("a literal has no steps");
  }
  try {
    return xpath.parse(path);
  } catch (error) {
    if (perhapsRead.test(plain)) throw error;
    throw new InvalidPath("it is no XPath", { cause: error });
  }
}

/** Whether Java finds nodes by some steps and not by others: those named with a prefix, and texts that begin as CDATA. */
export const isUneven = (path: string, document: XmlNode): boolean =>
  (document.hasPrefixes && /\/\/|::/.test(path)) || (document.hasCdata && /\/\//.test(path));
