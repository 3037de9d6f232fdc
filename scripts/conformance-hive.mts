/**
 * Compares the embedded engine with a running Hive on generated statements, and makes each disagreement small.
 *
 * See {@link usage}. Exit code 0 where the engines agree, 1 where they do not, 2 where nothing could be compared.
 */
import { randomInt } from "node:crypto";
import { createWriteStream } from "node:fs";
import { parseArgs } from "node:util";
import { loadHiveql } from "./hiveql.mts";
import type { Engine } from "./conformance-hive/answers.mts";
import { dirtyTable } from "./conformance-hive/dirtyTable.mts";
import { compareFields } from "./conformance-hive/fields.mts";
import { openSessions } from "./conformance-hive/hive.mts";
import { openOurs, type OurEngine } from "./conformance-hive/ours.mts";
import {
  compareExpressions,
  compareQueries,
  type Disagreement,
  type ExpressionKind,
  type Tally,
} from "./conformance-hive/run.mts";
import { type HiveServer, startHive } from "./conformance-hive/server.mts";
import { type Table, tables } from "./conformance-hive/tables.mts";
import { readVocabulary } from "./conformance-hive/vocabulary.mts";

type Functions = typeof import("../service/engines/duckdb/hiveql/functions/index.ts");

const usage = `usage: npm run conformance:hive -- [options]
  --url hive://HOST:PORT  a HiveServer2 that takes connections without authentication (default hive://127.0.0.1:10001)
  --start                 start a Hive for the time of the run; needs --hive-home, mvn and Java 17
  --hive-home DIR         holds pom.xml (Hive's artifacts) and hive-site.xml (its settings)
  --seed N                generate what another run generated (default: a new one, which is printed)
  --cases N               how many expressions; beside them a tenth as many queries that ours takes (default 600)
  --kind KIND             expressions, literals (expressions without a table), casts, aggregates, arguments (calls with
                          each argument of every type), queries or fields (of a text file, read as every type; default: all)
  --sessions N            how many statements Hive answers at once (default 2)
  --function NAME         only calls of this function
  --out FILE              write each disagreement as a line of JSON`;
const kinds = ["expressions", "literals", "casts", "aggregates", "arguments", "queries", "fields"];

const options = readOptions();
process.exitCode = await main();

async function main(): Promise<number> {
  let server: HiveServer | undefined;
  try {
    if (options.start) server = await startHive(options.home);
    return await compare(server?.url ?? options.url);
  } catch (error) {
    console.error((error as Error).message);
    return 2;
  } finally {
    await server?.stop();
  }
}

async function compare(url: string): Promise<number> {
  const dirty = dirtyTable(options.seed, options.cases);
  const all = wanted("fields") ? [...tables, dirty] : tables;
  const hive = await openSessions(url, all, options.sessions).catch((error: Error) => {
    throw new Error(`no Hive answers at ${url} (${error.message}): name a running one with --url, or give --start`);
  });
  const ours = await openOurs(all).catch(async (error: Error) => {
    await hive.close();
    throw error;
  });
  try {
    return await compareEngines(hive, ours, dirty);
  } finally {
    await ours.close();
    await hive.close();
  }
}

function wanted(kind: string): boolean {
  return options.kind === undefined || options.kind === kind;
}

async function compareEngines(hive: Engine, ours: OurEngine, dirty: Table): Promise<number> {
  const { families } = await loadHiveql<Functions>("functions/index.ts");
  const functions = readVocabulary(Object.values(families).flat(), ours.typeOf);
  console.log(`seed ${options.seed}`);
  const out = options.out === undefined ? undefined : createWriteStream(options.out);
  const tally: Tally = new Map();
  const context = {
    hive,
    ours,
    sessions: options.sessions,
    functions,
    seed: options.seed,
    tally,
    report: (found: Disagreement) => {
      console.log(describe(found));
      out?.write(`${JSON.stringify({ ...found, seed: options.seed })}\n`);
    },
  };
  const chosen = kinds.filter(wanted);
  const share = Math.ceil(options.cases / Math.max(1, kinds.length - 2));
  for (const kind of chosen) {
    if (kind === "queries") await compareQueries(context, Math.ceil(options.cases / (chosen.length === 1 ? 1 : 10)));
    else if (kind === "fields") await compareFields(context, dirty);
    else
      await compareExpressions(
        context,
        kind as ExpressionKind,
        chosen.length === 1 ? options.cases : share,
        options.function,
      );
  }
  out?.end();
  const total = [...tally.values()].reduce((sum, count) => sum + count, 0);
  const counts = [...tally].map(([outcome, count]) => `${outcome} ${count}`);
  console.log([`statements ${total}`, `compared ${total - (tally.get("refused") ?? 0)}`, ...counts].join(", "));
  return (tally.get("different") ?? 0) + (tally.get("accepted only here") ?? 0) === 0 ? 0 : 1;
}

function describe({ outcome, statement, hive, ours }: Disagreement): string {
  return `\n${outcome}: ${statement}\n  hive: ${hive}\n  ours: ${ours}`;
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        url: { type: "string", default: "hive://127.0.0.1:10001" },
        start: { type: "boolean", default: false },
        "hive-home": { type: "string" },
        seed: { type: "string" },
        cases: { type: "string", default: "600" },
        kind: { type: "string" },
        sessions: { type: "string", default: "2" },
        function: { type: "string" },
        out: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    const { "hive-home": home, seed, cases, sessions, ...rest } = values;
    if (rest.help) throw new TypeError("");
    if (rest.start && home === undefined) throw new TypeError("--start needs --hive-home");
    if (rest.kind !== undefined && !kinds.includes(rest.kind))
      throw new TypeError(`--kind is one of ${kinds.join(", ")}`);
    const count = (name: string, text: string) => {
      if (!/^\d{1,9}$/.test(text)) throw new TypeError(`${name} takes a number, not ${text}`);
      return Number(text);
    };
    return {
      ...rest,
      home: home ?? "",
      seed: seed === undefined ? randomInt(1_000_000) : count("--seed", seed),
      cases: count("--cases", cases),
      sessions: Math.max(1, count("--sessions", sessions)),
    };
  } catch (error) {
    const { message } = error as Error;
    console.error(message === "" ? usage : `${message}\n${usage}`);
    process.exit(message === "" ? 0 : 2);
  }
}
