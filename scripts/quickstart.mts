/**
 * `npm run quickstart [-- --keep | --scale | --destroy]`: starts the service on a free port, writes two input files, runs
 * `pulumi up` on examples/quickstart twice, and once more with `--refresh` after it has added events, and prints the query
 * results. `--keep` keeps the service running until Ctrl-C. All files are in .dag-quickstart/; `--destroy` deletes the
 * resources and this folder. Ctrl-C stops all processes; the next run continues from there.
 *
 * `--scale` runs the same program on a Spark cluster over S3, with two service processes on a PostgreSQL database; all of
 * it is temporary.
 *
 * For tests: `--dir DIR` uses another folder, `--event-bytes N` sets the size of the event log (default 250,000,000).
 */
import { runQuickstart } from "../tools/quickstart/quickstart.mts";

process.exitCode = await runQuickstart();
