/**
 * Writes what is made of the resources' declarations in provider/lifecycles: the TypeScript types of the classes,
 * schema.json, docs/resources.md, docs/resources/ and docs/guarantees.md. `--check` writes nothing and fails where one of them is not up to date.
 * It runs on the built package: `npm run build` first.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pulumiSchema } from "./schema/pulumi.mts";
import { guaranteesPage } from "./schema/guarantees.mts";
import { resourcePages } from "./schema/pages.mts";
import { resourcePagesByPath, type DocumentedSchema } from "./schema/resource-page.mts";
import { typeScriptTypes } from "./schema/types.mts";

const root = new URL("../", import.meta.url);
const schema = pulumiSchema();
const files: Readonly<Record<string, string>> = {
  "provider/dynamic/types.ts": formatted("types.ts", typeScriptTypes()),
  "schema.json": `${JSON.stringify(schema, null, 2)}\n`,
  "docs/resources.md": formatted("resources.md", resourcePages()),
  "docs/guarantees.md": formatted("guarantees.md", guaranteesPage()),
  ...resourcePagesByPath(schema as unknown as DocumentedSchema),
};

const stale = Object.keys(files).filter((name) => read(name) !== files[name]);
if (process.argv.includes("--check")) {
  for (const name of stale) console.error(`${name} is not up to date: run "npm run build && npm run schema"`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const name of stale) {
    mkdirSync(new URL(".", new URL(name, root)), { recursive: true });
    writeFileSync(new URL(name, root), files[name]!);
    console.log(`wrote ${name}`);
  }
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
