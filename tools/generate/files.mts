/** The files of the repository that are made of other files, and whether they are up to date. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { guaranteesPage } from "./guarantees.mts";
import { hiveqlPage } from "./hiveql-docs.mts";
import { resourcePages } from "./pages.mts";
import { pulumiSchema } from "./pulumi.mts";
import { resourcePagesByPath, type DocumentedSchema } from "./resource-page.mts";
import { typeScriptTypes } from "./types.mts";

const root = new URL("../../", import.meta.url);

/** Every generated file: its path from the repository's folder, and the text that it must have. */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const schema = pulumiSchema();
  return {
    "provider/dynamic/types.ts": formatted("types.ts", typeScriptTypes()),
    "schema.json": `${JSON.stringify(schema, null, 2)}\n`,
    "docs/resources.md": formatted("resources.md", resourcePages()),
    "docs/guarantees.md": formatted("guarantees.md", guaranteesPage()),
    "docs/hiveql.md": formatted("hiveql.md", await hiveqlPage()),
    ...resourcePagesByPath(schema as unknown as DocumentedSchema),
  };
}

/** The paths of the files that are not what they must be. */
export function staleFiles(files: Readonly<Record<string, string>>): string[] {
  return Object.keys(files).filter((name) => read(name) !== files[name]);
}

/** Writes one file. */
export function writeGenerated(name: string, text: string): void {
  mkdirSync(new URL(".", new URL(name, root)), { recursive: true });
  writeFileSync(new URL(name, root), text);
}

/** The text as the repository's formatter leaves it. */
function formatted(name: string, text: string): string {
  const oxfmt = createRequire(import.meta.url).resolve("oxfmt/package.json");
  const program = join(dirname(oxfmt), "bin/oxfmt");
  return execFileSync(process.execPath, [program, "--stdin-filepath", name], {
    cwd: fileURLToPath(root),
    input: text,
    encoding: "utf8",
  });
}

function read(name: string): string | undefined {
  try {
    return readFileSync(new URL(name, root), "utf8");
  } catch {
    return undefined;
  }
}
