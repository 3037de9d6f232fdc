/** Builds both packages: TypeScript to dist/ and service/dist/, then the HiveQL grammar as one plain file in each. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = `${root}/node_modules/typescript/bin/tsc`;

for (const project of ["tsconfig.build.json", "service/tsconfig.json"]) {
  execFileSync(process.execPath, [tsc, "-p", project], { cwd: root, stdio: "inherit" });
}

// dt-sql-parser's own modules cannot be imported by plain Node, so what we use of it is bundled.
const grammar = `${root}/provider/hiveql/grammar.ts`;
if (existsSync(grammar)) {
  for (const outfile of ["dist/hiveql/grammar.js", "service/dist/provider/hiveql/grammar.js"]) {
    await build({
      entryPoints: [grammar],
      outfile: `${root}/${outfile}`,
      bundle: true,
      format: "cjs",
      platform: "node",
      target: "node22",
      minifyWhitespace: true,
      legalComments: "eof",
      logLevel: "warning",
    });
  }
}
