/** Computes the generated files of the repository and finds those that are out of date. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { root } from "../setup/layout.mjs";
import { apiPage } from "./api-page.mts";
import { openApi } from "./openapi.mts";
import { errorsPage } from "./errors-page.mts";
import { insidePage, performancePage, performancePlots } from "./performance-page.mts";
import { quotesModule } from "./quotes-module.mts";
import { plainTypes } from "./plain-types.mts";
import { functionsPage, hiveqlPage } from "./hiveql/pages.mts";
import { resourceOverviewPage } from "./resource-overview.mts";
import { pulumiSchema } from "./pulumi-schema.mts";
import { resourcePagesByPath, type DocumentedSchema } from "./resource-page.mts";
import { typeScriptTypes } from "./typescript-types.mts";

/** Returns the text of every generated file, by its path relative to the repository's root. */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const schema = pulumiSchema();
  return {
    ...Object.fromEntries(
      Object.entries(typeScriptTypes()).map(([name, text]) => [
        `provider/dynamic/types/${name}`,
        formatted(name, text),
      ]),
    ),
    ...Object.fromEntries(Object.entries(plainTypes()).map(([name, text]) => [name, formatted(name, text)])),
    "service/split/quotes-module.ts": formatted("quotes-module.ts", await quotesModule()),
    "schema.json": `${JSON.stringify(schema, null, 2)}\n`,
    "openapi.json": formatted("openapi.json", `${JSON.stringify(openApi(), null, 2)}\n`),
    "docs/resources.md": formatted("resources.md", resourceOverviewPage()),
    "docs/api.md": formatted("api.md", apiPage()),
    "docs/errors.md": formatted("errors.md", errorsPage()),
    "docs/performance.md": formatted("performance.md", performancePage()),
    "docs/performance/inside.md": formatted("inside.md", insidePage()),
    ...performancePlots(),
    "docs/hiveql.md": formatted("hiveql.md", hiveqlPage()),
    "docs/hiveql/functions.md": formatted("functions.md", await functionsPage()),
    ...resourcePagesByPath(schema as unknown as DocumentedSchema),
  };
}

/** Returns the paths of the files that are missing or out of date. */
export function staleFiles(files: Readonly<Record<string, string>>): string[] {
  return Object.keys(files).filter((name) => read(name) !== files[name]);
}

/** Writes one file. */
export function writeGenerated(name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

/** Formats a text with the repository's formatter. */
function formatted(name: string, text: string): string {
  const oxfmt = createRequire(import.meta.url).resolve("oxfmt/package.json");
  const program = join(dirname(oxfmt), "bin/oxfmt");
  return execFileSync(process.execPath, [program, "--stdin-filepath", name], {
    cwd: root,
    input: text,
    encoding: "utf8",
  });
}

function read(name: string): string | undefined {
  try {
    return readFileSync(join(root, name), "utf8");
  } catch {
    return undefined;
  }
}
