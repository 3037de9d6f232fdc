/**
 * `npm run build [-- --if-changed]`: builds the packages into dist/, hiveql/dist/ and service/dist/. With
 * `--if-changed` nothing is done when the sources are those of the last build.
 */
import { buildPackages } from "../tools/build/build.mjs";

const succeeded = await buildPackages({ ifChanged: process.argv.includes("--if-changed") });
process.exitCode = succeeded ? 0 : 1;
