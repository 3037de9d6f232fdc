/** The explanations in docs/performance.md: what a benchmark compares, where the time goes, and what did not pay. */

/** The sections of docs/performance.md: what a caller waits for. */
export const order: readonly string[] = [
  "split",
  "select",
  "tpch",
  "small",
  "get",
  "list",
  "service",
  "quickstart",
  "provider",
];

/** The sections of docs/performance/inside.md: a diagnosis. */
export const orderInside: readonly string[] = ["inside", "limits"];

/** The titles of the sections, by the benchmark's name. */
export const titles: Readonly<Record<string, string>> = {
  split: "Split",
  select: "Select over large tables",
  tpch: "TPC-H",
  small: "Small selects",
  get: "Requests",
  list: "Lists of many queries",
  service: "Start and memory",
  quickstart: "The quickstart",
  provider: "Deployments",
  inside: "TPC-H in one process",
  limits: "What the machine can do",
};

/** The texts before the tables, by the benchmark's name. */
export const introductions: Readonly<Record<string, string>> = {
  split: `\`npm run bench -- split [--megabytes N] [--rounds N] [--growth]\` compares a split with \`split -C\` of coreutils, which cuts at line ends too but knows no quotes, followed by a flush of its files: a finished split is on the disk. A split reads and writes in pieces of 1 MiB and finds the last row end of a piece of csv with a scan in WebAssembly (\`service/split/quotes.wat\`) that looks at 64 bytes at a time. Each object is flushed while the next ones are written. Several inputs are cut at the same time, in at most one thread for each core.`,
  select: `\`npm run bench -- select [--mb N] [--rounds N] [--kinds LIST]\` compares HiveQL with DuckDB SQL written by hand over the same files with the right types. Where the types of a table's columns were found in its data, every value is known to parse, and DuckDB's reader makes the values. Declared columns are read as text, because Hive makes NULL of a text that is no value of its type, and then converted. The types of undeclared columns are found by reading all rows once for each state of a table's objects. With local buckets, the processes of a cluster remember it for tables of 1 MiB or more (\`service/engines/duckdb/tables/remembered-facts.ts\`), and of several selects that come at once, one reads the rows and the others wait. The first select over each table does that, and is not part of these times. Of a select over Parquet, the check takes 5 ms in the engine's process, for which DuckDB reads the footer. The rest is what a small select takes, so the ratio of a statement of 50 ms is greater than that of one of a second. A process keeps the memory of a statement for a second, and a statement that follows within it uses it again: the 22 queries of TPC-H over Parquet, one right after another, take a twentieth less time so than when a large statement's memory is given back at once (closing DuckDB and opening it again takes 110 ms of CPU time). Several at once: each process that must be started takes 160 ms of CPU time, and 220 ms more for the grammar and its first parse. Processes stay for a minute, so that the next queries find them. Eight statements take 3 % more CPU time in eight processes than one after another in one DuckDB, and the service takes 6 % beside them. The client asks after a thirtieth of the time that has passed, over a connection that is kept. Each question takes half a millisecond of the processors of the query: asked after a hundredth, with \`fetch\`, the service and its client took 457 ms of CPU time beside the 2,960 of the window.`,
  tpch: `\`npm run bench -- tpch [--scale N] [--rounds N] [--tables LIST] [--query NAME]\` runs the 22 queries of TPC-H as HiveQL, and in turns the same queries as hand-written DuckDB SQL over the same files with the same types. It compares the CPU time of all processes of the service, from the POST until \`finished\`, with that of DuckDB. The client asks for the status every 50 ms. \`tpchgen-cli\` from PyPI generates the data, once, into the user's cache folder. [Inside](performance/inside.md) are the same queries in one process.`,
  small: `\`npm run bench -- small [--rounds N]\` measures the time from the submission of a small select until its result is complete. DuckDB runs the same statement in the benchmark's own process and flushes its result. A fifth of the service's time is the check at submission, and a third the run in the engine's process. The rest is its record, the move of its result and its end. The statement is parsed and translated once, and what the engine's process has to say between two waits is one message. Six writes are flushed: the record before the 202; the result and its folder before the mark that it is complete; that mark, before the old output is replaced; the folder into which the result is moved; and the end, before \`finished\` shows. Each must be on the disk before the next step.`,
  get: `\`npm run bench -- get [--queries N] [--connections N] [--growth]\` compares the answers of a service with 20,000 queries with those of a Node.js server that checks nothing and answers the same bytes. Each has one core; the requests come from another process, for IDs at random, each with a signature of its own. The service checks the signature, finds the operation, looks up the record and writes a line of its log. Records of ended queries do not change, so those that were read are kept, up to 40 MiB, and their JSON texts for lists. Of the time of a GET, a quarter is the write to the socket; the rest is Node.js's HTTP, the signature, the line of the log and garbage. V8's part of the heap for new objects may grow: kept small, it takes a fifth more CPU time, and 60 MB less after such a load.`,
  list: `\`npm run bench -- list [--queries N] [--growth]\` measures one page of 100 queries, with a thousand queries and with a million.`,
  service: `\`npm run bench -- service [--rounds N]\` starts services and measures the time until the first signed request is answered, and the memory of the service with its engine processes. RSS counts memory that processes share in each of them; PSS counts it once. Then it asks \`GET /healthz\` without a pause while the service works on folders of 100,000 objects (\`--objects N\`): the longest answer is how long others wait. Folders are read, sorted and deleted in pieces (\`storage/sorted-entries.ts\`).`,
  quickstart: `\`npm run bench -- quickstart [--rounds N]\` runs the quickstart without its set-up: it writes an event log of 250 MB, starts the service, and deploys three times. Most of it are the three runs of \`pulumi up\`, each with a process for the program and one for the provider.`,
  provider: `\`npm run bench -- provider [resources] [rounds] [service] [--growth]\` deploys SelectQueries through the dynamic provider and through the plugin, against a service whose queries take no time. In the same rounds it deploys trivial dynamic resources: a \`create\` that returns its inputs.

CPU time of the provider process:

| step | CPU time | grows with |
|---|---|---|
| loading Pulumi's SDK | 420 to 450 ms; the trivial resources load it, too | one process a run |
| loading the dynamic provider | 70 to 75 ms; 145 ms before its modules were one file | one process a run |
| loading the HiveQL grammar, and the first parse | 150 to 175 ms; not in a run that parses no statement | one process a run |
| parse of another short statement | 0.2 ms | resources |
| check of an unchanged query that reads no table of the program | 0.2 ms | resources |

- **The engine** checks the resources of a program one after another, calls each provider over gRPC and writes the state after each step. That is the same for every resource, trivial or not.
- **The modules** of a provider process are one file, and the grammar is loaded when a statement is first parsed. The process keeps its compiled code in \`~/.cache/pulumi-dag\`; \`NODE_DISABLE_COMPILE_CACHE=1\` turns that off. With \`NODE_COMPILE_CACHE=<folder>\` in the environment of \`pulumi\`, Pulumi's SDK comes from the cache, too: 300 ms instead of 430 ms.
- **Statements** are parsed once a check. A statement that has not changed since an earlier check, and that reads no table of the program, is not parsed again.
- **Waiting for a slot**: a submission wakes those who wait behind it, each with one timer for its whole wait. The engine runs as many resources at a time as \`--parallel\` allows, so this does not grow with the program.
- **Requests**: at most three for a new query that is accepted at once (submit, status, log), and with \`dag:storage\` two lists of its folder, besides lists of the cluster's running queries, one for all waits, at most ten a second and ever rarer.
- **From 1 to 1,000 resources** the cost of a process is paid once, so one resource is the worst case. From there, checks grow with the number of resources: tables and outputs are indexed by word and by folder, so that a resource is not compared with every other one. The state of a resource is small, because the engine writes the whole state again and again.`,
  inside: `\`npm run bench -- inside [--scale N] [--rounds N] [--tables LIST] [--query NAME]\` runs the 22 queries of TPC-H as HiveQL through the translator, and in turns the same queries as hand-written DuckDB SQL over the same files with the same types. It compares the CPU time of the process, and fails when an answer differs. \`tpchgen-cli\` from PyPI generates the data, once, into the user's cache folder. Products and sums of decimals are computed in 64 bits, and in 128 bits in the rows in which that overflows. Of a declared csv, each value is read as Hive reads it: a text that is not a plain number or date is converted by Hive's rules. Testing that costs about as much as the conversion itself.`,
  limits: `\`npm run bench -- limits\` measures what no program on this machine can exceed. A split reads and writes every byte once; the end of a query waits for flushes.`,
};

/** The last section of the page. */
export const notTried = `## What was tried and did not pay

| tried | result |
|---|---|
| split: jumping from quote to quote with a native search | 4 GB/s where quotes are rare, 0.3 where every field is quoted |
| split: a loop over the bytes in JavaScript | 0.8 GB/s at any density; the scan in WebAssembly has 6 to 50, and 3 where quotes stand in unquoted fields |
| split: Node's streams instead of large synchronous reads and writes in a thread | 0.3 instead of 2.4 GB/s |
| select: a pattern, or searches for single characters, instead of a comparison of texts for a declared BIGINT | 15 to 100 % more time for the conversion |
| small select: one bind of DuckDB for check and run | the check binds without DuckDB's optimizer, in another connection; the second bind takes 0.5 ms |
| small select: a prepared COPY instead of one that is run at once; fewer threads of libuv or DuckDB | 10 % more time; no difference |
| small select: fewer flushes | six [of 0.15 ms](performance/inside.md) are a sixteenth of its time, and each must be on the disk before the next step |
| small select: a watchdog of the engine's process that is woken once for the check and the run | 0.2 ms less CPU time of the process, of 4 |
| select over Parquet: DuckDB's cache of footers | 1.3 ms less CPU time for each of two binds, of 120 |
| large selects: larger pages of memory, for fewer page faults | DuckDB's allocator is built without them |
| start of an engine's process: the macros in one transaction | 2.5 ms less CPU time, of 26 for the macros |
| small select: V8 compiles at once, or counts calls from the first one | no difference |
| memory: V8's option \`--optimize-for-size\` in the engine's processes | nothing after garbage is collected |`;
