/**
 * `npm run quickstart [-- --destroy]`: from nothing to query results. Starts the service on a free port, puts two inputs
 * in place, runs `pulumi up` on examples/quickstart twice, and shows the results. Everything lies in .dag-quickstart/;
 * `--destroy` takes all of it away. Ctrl-C stops what was started; the next run goes on from there.
 *
 * For tests: `--dir DIR` uses another folder, `--event-bytes N` writes a smaller event log (250,000,000).
 */
import { runQuickstart } from "../tools/quickstart/quickstart.mts";

process.exitCode = await runQuickstart();
