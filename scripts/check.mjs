/** `npm run check`: the quick checks, in under 30 seconds. Exit code 1 when one of them fails. */
import { runChecks } from "../tools/check/check.mjs";

process.exitCode = (await runChecks()) ? 0 : 1;
