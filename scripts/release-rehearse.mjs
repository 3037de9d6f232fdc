/**
 * `npm run release:rehearse -- [--fail-at STEP]…`: makes a whole release on this machine and installs it as users do.
 * STEP is npm, pypi, git, archives, maven, or all. Nothing leaves the machine.
 */
import { rehearse } from "../tools/release/rehearsal/rehearse.mjs";

process.exitCode = (await rehearse(process.argv.slice(2))) ? 0 : 1;
