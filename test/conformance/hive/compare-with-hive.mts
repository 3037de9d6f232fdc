/** Compares the embedded engine with a running Hive on generated statements, and shrinks each disagreement. */
import { createWriteStream } from "node:fs";
import { loadHiveql } from "../../../tools/load-hiveql.mts";
import { type HiveServer, startHive } from "../../../tools/scale/hive/hive.mts";
import type { Engine } from "./engine.mts";
import { dirtyTable } from "./dirty-table.mts";
import { compareFields } from "./compare-fields.mts";
import { type Table, tables } from "./generate/tables.mts";
import { readCallables } from "./generate/callables.mts";
import { openSessions } from "./hive-sessions.mts";
import { type Lakes, newLakes } from "./lakes.mts";
import { kinds, type Options } from "./command-line.mts";
import { openEmbeddedEngine, type EmbeddedEngine } from "./embedded-engine.mts";
import {
  compareExpressions,
  compareQueries,
  isQueryKind,
  type Disagreement,
  type ExpressionKind,
  type Tally,
} from "./compare-statements.mts";

type Functions = typeof import("../../../hiveql/functions/index.ts");

/**
 * Generates statements, runs them on both engines, and prints each disagreement.
 * @returns the number of statements with each outcome
 * @throws Error when no Hive server answers
 */
export async function compareWithHive(options: Options): Promise<Tally> {
  let server: HiveServer | undefined;
  try {
    if (options.start) server = await startHive({ home: options.home });
    return await compare(options, server?.url ?? options.url);
  } finally {
    await server?.stop();
  }
}

async function compare(options: Options, url: string): Promise<Tally> {
  const dirty = dirtyTable(options.seed, options.cases);
  const all = isWanted(options, "fields") ? [...tables, dirty] : tables;
  const lakes = isWanted(options, "lakes") ? newLakes() : undefined;
  try {
    return await compareTables(options, url, { all, dirty, lakes });
  } finally {
    lakes?.remove();
  }
}

interface ComparedTables {
  readonly all: readonly Table[];
  readonly dirty: Table;
  readonly lakes: Lakes | undefined;
}

async function compareTables(options: Options, url: string, { all, dirty, lakes }: ComparedTables): Promise<Tally> {
  const hive = await openSessions(url, all, options.sessions, lakes).catch((error: Error) => {
    throw new Error(
      `cannot connect to HiveServer2 at ${url} (${error.message}): ` +
        "set --url to a running server, or start one with --start",
    );
  });
  const embedded = await openEmbeddedEngine(all, lakes).catch(async (error: Error) => {
    await hive.close();
    throw error;
  });
  try {
    return await compareEngines(options, hive, embedded, dirty);
  } finally {
    await embedded.close();
    await hive.close();
  }
}

function isWanted(options: Options, kind: string): boolean {
  return options.kind === undefined || options.kind === kind;
}

async function compareEngines(options: Options, hive: Engine, embedded: EmbeddedEngine, dirty: Table): Promise<Tally> {
  const { families } = await loadHiveql<Functions>("functions/index.ts");
  const functions = readCallables(Object.values(families).flat(), embedded.typeOf);
  console.log(`seed ${options.seed}`);
  const out = options.out === undefined ? undefined : createWriteStream(options.out);
  const tally: Tally = new Map();
  const context = {
    hive,
    embedded,
    sessions: options.sessions,
    functions,
    seed: options.seed,
    tally,
    report: (found: Disagreement) => {
      console.log(describe(found));
      out?.write(`${JSON.stringify({ ...found, seed: options.seed })}\n`);
    },
  };
  const chosen = kinds.filter((kind) => isWanted(options, kind));
  const share = Math.ceil(options.cases / Math.max(1, kinds.filter((kind) => !isQueryKind(kind)).length - 1));
  for (const kind of chosen) {
    if (isQueryKind(kind))
      await compareQueries(context, kind, Math.ceil(options.cases / (chosen.length === 1 ? 1 : 10)));
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
  return tally;
}

function describe({ outcome, statement, hive, embedded }: Disagreement): string {
  return `\n${outcome}: ${statement}\n  hive:     ${hive}\n  embedded: ${embedded}`;
}
