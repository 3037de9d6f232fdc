/**
 * What each part of Hive costs: its lines, and the statements that need it. A function is needed by a statement that calls
 * it, and JavaScript that has Java's digits by one whose rows call it.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createRequire } from "node:module";
import { build, type Plugin } from "esbuild";
import ts from "typescript";
import { loadModule } from "../../../tools/load-hiveql.mts";
import { root } from "../../../tools/setup/layout.mjs";
import { readCases } from "./folder.mts";
import { runGoldenCases } from "./golden-cases.mts";

type Hiveql = typeof import("../../../hiveql/index.ts");

/** The lines of something, and how many statements need it. */
export interface Price {
  readonly kind: "functions" | "function" | "exactness";
  readonly name: string;
  readonly lines: number;
  readonly statements: number;
}

/** Returns the prices over the cases of folders and the statements of the documentation, the dearest first. */
export async function pricesOver(folders: readonly string[]): Promise<Price[]> {
  const found = [...(await functionPrices(folders)), ...(await exactnessPrices(folders))];
  return found.toSorted((a, b) => a.kind.localeCompare(b.kind) || a.statements - b.statements || b.lines - a.lines);
}

/** Returns the lines of all files of hiveql/ without comments and blank lines. */
export const linesOfAll = (): number => filesIn("**/*.ts").reduce((sum, file) => sum + linesOf(file), 0);

const filesIn = (pattern: string) =>
  globSync(`hiveql/${pattern}`, { cwd: root, exclude: ["**/dist", "**/node_modules"] }).map((file) => join(root, file));

/** Returns the number of lines on which a token of TypeScript stands. */
function linesOf(file: string): number {
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source).filter(({ kind }) => kind !== ts.SyntaxKind.JSDoc);
    if (children.length === 0 && node.getEnd() > node.getStart(source)) {
      const [first, last] = [node.getStart(source), node.getEnd()].map(
        (at) => ts.getLineAndCharacterOfPosition(source, at).line,
      );
      for (let line = first!; line <= last!; line += 1) lines.add(line);
    }
    children.forEach(visit);
  };
  visit(source);
  return lines.size;
}

/** Bundles the translator with some files changed. */
async function variant(name: string, change: (file: string, text: string) => string): Promise<Hiveql> {
  const outfile = join(root, `node_modules/.cache/hiveql/${process.pid}-${name}.cjs`);
  const plugin: Plugin = {
    name: "change",
    setup: (bundle) =>
      bundle.onLoad({ filter: /hiveql\/.*\.ts$/ }, ({ path }) => ({
        contents: change(path, readFileSync(path, "utf8")),
        loader: "ts",
      })),
  };
  const options = {
    bundle: true,
    platform: "node",
    format: "cjs",
    logLevel: "error",
  } as const;
  await build({
    ...options,
    external: ["@duckdb/*"],
    entryPoints: [join(root, "hiveql/index.ts")],
    outfile,
    plugins: [plugin],
  });
  return createRequire(join(root, "hiveql/package.json"))(outfile) as Hiveql;
}

async function functionPrices(folders: readonly string[]): Promise<Price[]> {
  const statements = [...folders.flatMap((folder) => readCases(folder).map(({ query }) => query)), ...documented()];
  const called = statements.map(
    (text) =>
      new Set(
        [...text.toLowerCase().matchAll(/\b([a-z_]\w*)\s*\(|\bcurrent_\w+|\b(?:r?like|regexp)\b/g)].map(
          ([all, name]) => name ?? all,
        ),
      ),
  );
  const needing = (names: readonly string[]) => called.filter((each) => names.some((name) => each.has(name))).length;
  const prices: Price[] = [];
  for (const file of filesIn("functions/**/*.ts")) {
    if (basename(file) === "index.ts") continue;
    const module = await loadModule<Readonly<Record<string, unknown>>>(file.slice(root.length + 1));
    const entries = Object.values(module)
      .flat()
      .filter((each) => isEntry(each));
    if (entries.length === 0) continue;
    const name = file.slice(join(root, "hiveql/functions/").length);
    const names = entries.flatMap((entry) => entry.names);
    prices.push({ kind: "functions", name, lines: linesOf(file), statements: needing(names) });
    for (const entry of entries)
      prices.push({ kind: "function", name: entry.names.join(" "), lines: 0, statements: needing(entry.names) });
  }
  return prices;
}

const isEntry = (each: unknown): each is { readonly names: readonly string[] } =>
  typeof each === "object" && each !== null && "names" in each && "signature" in each;

/** Returns the statements of the documentation. */
function documented(): string[] {
  const pages = globSync(["README.md", "docs/**/*.md", "hiveql/README.md"], { cwd: root });
  const blocks = pages.flatMap((page) =>
    readFileSync(join(root, page), "utf8")
      .matchAll(/```\w*\n(.*?)```/gs)
      .toArray(),
  );
  return blocks.map(([, text = ""]) => text).filter((text) => /\bselect\b/i.test(text));
}

/** Counts for each file of JavaScript the cases whose rows call a function that imports it. */
async function exactnessPrices(folders: readonly string[]): Promise<Price[]> {
  const calls = new Map<string, Set<string>>();
  let current = "";
  const call = (name: string) => calls.set(name, (calls.get(name) ?? new Set()).add(current));
  const hiveql = await variant("counting", (path, text) =>
    path.endsWith("udf/register.ts")
      ? text.replace("compute(...values)", "((globalThis as any).onHiveqlCall(name), compute(...values))")
      : text,
  );
  Object.assign(globalThis, { onHiveqlCall: call });
  for (const folder of folders) await runGoldenCases(folder, { hiveql, begins: (id) => (current = `${folder} ${id}`) });
  const register = readFileSync(join(root, "hiveql/runtime/udf/register.ts"), "utf8");
  const imports = [...register.matchAll(/import \{([^}]*)\} from "(\.[^"]*)"/g)];
  const users = new Map<string, Set<string>>();
  for (const [, name = "", compute = ""] of register.matchAll(
    /javaScript\(("hive_\w+"|`hive_\$\{name\}`),.*?(\w+)\)/g,
  )) {
    const from = imports.find(([, names = ""]) =>
      names.split(/[\s,]+/).includes(compute === "compute" ? "javaMathFunctions" : compute),
    );
    const plain = name.slice(1, -1);
    const own = [...calls].filter(([each]) => (plain.includes("$") ? isMath(each, register) : each === plain));
    for (const file of from ? reached(join(root, "hiveql/runtime/udf", `${from[2]}.ts`)) : [])
      for (const [, ids] of own) users.set(file, new Set([...(users.get(file) ?? []), ...ids]));
  }
  const files = filesIn("runtime/{udf,java}/**/*.ts").filter((file) => !file.endsWith("register.ts"));
  return files.map((file) => ({
    kind: "exactness",
    name: file.slice(join(root, "hiveql/runtime/").length),
    lines: linesOf(file),
    statements: users.get(file)?.size ?? 0,
  }));
}

/** Returns true for a function that the list of Java's mathematical functions registers. */
const isMath = (name: string, register: string) => !register.includes(`"${name}"`);

/** Returns a file with all that it imports. */
function reached(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, from = ""] of readFileSync(file, "utf8").matchAll(/from "(\.[^"]*)"/g))
    reached(join(dirname(file), `${from}.ts`), found);
  return found;
}
