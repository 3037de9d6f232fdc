/**
 * `npm run generate [-- --check]`: writes schema.json, the types of the classes and the generated pages of docs/.
 * `--check` writes nothing and sets the exit code 1 when a file is not up to date. Run `npm run build` first: the
 * generator reads the declarations from the built package.
 */
import { generatedFiles, staleFiles, writeGenerated } from "../tools/generate/files.mts";

const files = await generatedFiles();
const stale = staleFiles(files);
if (process.argv.includes("--check")) {
  for (const name of stale) console.error(`${name} is not up to date: run "npm run build && npm run generate"`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const name of stale) {
    writeGenerated(name, files[name]!);
    console.log(`wrote ${name}`);
  }
}
