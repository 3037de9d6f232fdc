/**
 * `npm run build [-- --if-changed]`: builds the packages into dist/, hiveql/dist/ and service/dist/. `--if-changed`
 * skips the build when no source has changed since the last one.
 */
import { buildPackages } from "../tools/build/build.mjs";

const succeeded = await buildPackages({ ifChanged: process.argv.includes("--if-changed") });
process.exitCode = succeeded ? 0 : 1;
