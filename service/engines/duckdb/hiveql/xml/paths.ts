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
  [/\[\s*[0-9]*\.[0-9]*\s*\]|\[[^<>=]*\bdiv\b[^<>=]*\]/, "a fraction as a position"],
];

/**
 * Reads a path.
 * @throws Error for what is no path, and for what Java evaluates in a way of its own.
 */
export function readPath(path: string): XmlPath {
  const plain = path.replaceAll(/"[^"]*"|'[^']*'/g, "''");
  const functionsUsed = [...plain.matchAll(/([\w.-]+)\s*\(/gu)].map(([, name = ""]) => name);
  const unknown = functionsUsed.find((name) => !functions.has(name) && !/^(?:and|or|div|mod)$/.test(name));
  const what = unknown === undefined ? otherwise.find(([form]) => form.test(plain))?.[1] : `the function ${unknown}`;
  if (what !== undefined) throw new Error(`${what} is not evaluated as Java does`);
  return xpath.parse(path);
}

/** Whether Java finds nodes by some steps and not by others: those named with a prefix, and texts that begin as CDATA. */
export const isUneven = (path: string, document: XmlNode): boolean =>
  (document.hasPrefixes && /\/\/|::/.test(path)) || (document.hasCdata && /\/\//.test(path));
