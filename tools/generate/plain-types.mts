/**
 * Writes types that TypeScript infers from zod schemas as plain ones, so that the packages' declarations need no zod:
 * its own declarations do not compile under all settings that users have.
 */
import { join } from "node:path";
import ts from "typescript";
import { root } from "../setup/layout.mjs";

const header = '/** Written by "npm run generate" from the zod schemas: change the declarations there. */';

/** Returns the text of each file, by its path. */
export function plainTypes(): Readonly<Record<string, string>> {
  return { "provider/client/types.ts": typesOf(clientTypes), "service/testing/types.ts": typesOf(serviceTypes) };
}

/** The records of the service. A type that another one has as a part comes first. */
const records = [
  "SelectRecord",
  "SplitRecord",
  "QueryRecord",
  "QuerySummary",
  "QueryPage",
  "QueryLog",
  "Submission",
  "ClusterRecord",
  "ClusterPage",
  "ClusterStatistics",
  "CatalogDatabase",
  "CheckAnswer",
  "ObjectPage",
  "OutputFolder",
];

/** The types of the client's public API, by name. */
const clientTypes = {
  file: "provider/client/plain.ts",
  imports: `import type * as contract from "../../contract";\nimport type { RequestOf } from "./request";`,
  types: [
    ...records.map((name) => ({ name, is: `contract.${name}`, comment: "" })),
    {
      name: "OperationRequests",
      is: "{ [Name in contract.OperationName]: RequestOf<Name> }",
      comment: "The arguments of each operation: its path parameters, query parameters and body fields.",
    },
    {
      name: "OperationResponses",
      is: "{ [Name in contract.OperationName]: contract.ResponseBody<Name> }",
      comment: "The response of each operation; undefined for one that responds with nothing.",
    },
  ],
};

/** The types of the options of `startService`. */
const serviceTypes = {
  file: "service/testing/plain.ts",
  imports: `import type { ServiceConfigInput } from "../config/schema";\nimport type { faultRule } from "../http/faults";\nimport type * as z from "zod";`,
  types: [
    { name: "FaultRule", is: "z.input<typeof faultRule>", comment: "A rule of fault injection." },
    ...["clusters", "tables", "views", "signature"].map((field) => ({
      name: `${field[0]!.toUpperCase()}${field.slice(1)}`,
      is: `NonNullable<ServiceConfigInput["${field}"]>`,
      comment: `\`${field}\` of the config file.`,
    })),
  ],
};

interface Request {
  /** Where a module with these imports would be. */
  readonly file: string;
  readonly imports: string;
  readonly types: readonly { readonly name: string; readonly is: string; readonly comment: string }[];
}

function typesOf({ file, imports, types }: Request): string {
  const path = join(root, file);
  const text = [imports, ...types.map(({ name, is }) => `export type ${name} = ${is};`)].join("\n");
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.readFile = (name) => (name === path ? text : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === path ? ts.createSourceFile(name, text, ts.ScriptTarget.Latest) : getSourceFile(name, ...rest);
  const program = ts.createProgram([path], { ...options, incremental: false, noEmit: true }, host);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path)!;
  const problem = program.getSemanticDiagnostics(source)[0];
  if (problem) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
  const printer = new Printer(checker, source);
  const declarations = source.statements.filter(ts.isTypeAliasDeclaration).map((declaration, index) => {
    const printed = printer.declare(declaration.name.text, checker.getTypeAtLocation(declaration));
    const { comment } = types[index]!;
    return `${comment === "" ? "" : `/** ${comment} */\n`}export type ${declaration.name.text} = ${printed};\n`;
  });
  return `${header}\n\n${declarations.join("\n")}`;
}

/** Prints types. A type that was declared before is printed as its name. */
class Printer {
  readonly #names = new Map<string, string>();
  readonly #checker: ts.TypeChecker;
  readonly #source: ts.SourceFile;

  constructor(checker: ts.TypeChecker, source: ts.SourceFile) {
    this.#checker = checker;
    this.#source = source;
  }

  declare(name: string, type: ts.Type): string {
    const text = this.print(type);
    this.#names.set(text, name);
    return text;
  }

  print(type: ts.Type): string {
    const text = this.#structure(type);
    return this.#names.get(text) ?? text;
  }

  #structure(type: ts.Type): string {
    if (type.flags & ts.TypeFlags.Boolean) return "boolean";
    if (type.isUnion()) return this.#union(type);
    if (this.#checker.isArrayType(type) || this.#checker.isTupleType(type)) {
      const [element] = this.#checker.getTypeArguments(type as ts.TypeReference);
      const isReadonly = type.symbol?.name === "ReadonlyArray";
      return `${isReadonly ? "readonly " : ""}${bracketed(this.print(element!))}[]`;
    }
    if (type.isIntersection() || type.flags & ts.TypeFlags.Object) return this.#object(type);
    return this.#checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  }

  #union(type: ts.UnionType): string {
    const all = type.types.map((one) => this.print(one));
    // TypeScript has boolean as a union of its two values.
    const isBoolean = all.includes("true") && all.includes("false");
    const rest = isBoolean ? ["boolean", ...all.filter((one) => one !== "true" && one !== "false")] : all;
    const last = (text: string) => Number(text === "null") + 2 * Number(text === "undefined");
    return [...new Set(rest)].toSorted((a, b) => last(a) - last(b)).join(" | ");
  }

  #object(type: ts.Type): string {
    const fields = this.#checker.getPropertiesOfType(type).map((property) => {
      const value = this.print(this.#checker.getTypeOfSymbolAtLocation(property, this.#source));
      const comment = ts.displayPartsToString(property.getDocumentationComment(this.#checker));
      const doc = comment === "" ? "" : `/** ${comment.replaceAll("\n", " ")} */\n`;
      return `${doc}readonly ${property.name}${property.flags & ts.SymbolFlags.Optional ? "?" : ""}: ${value};`;
    });
    const index = this.#checker.getIndexInfoOfType(type, ts.IndexKind.String);
    const others = index ? [`readonly [field: string]: ${this.print(index.type)};`] : [];
    return `{\n${[...fields, ...others].join("\n")}\n}`;
  }
}

function bracketed(text: string): string {
  return text.includes(" | ") && !text.startsWith("{") ? `(${text})` : text;
}
