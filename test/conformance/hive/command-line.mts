/** The options of `npm run conformance:hive`. */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

/** What to compare, and with which Hive. */
export interface Options {
  /** The server; not used when `start` is true. */
  readonly url: string;
  /** Whether to start a Hive for the time of the run. */
  readonly start: boolean;
  /** The folder that holds pom.xml and hive-site.xml; empty unless `start` is true. */
  readonly home: string;
  readonly seed: number;
  readonly cases: number;
  /** One of {@link kinds}; all of them when it is undefined. */
  readonly kind?: string | undefined;
  readonly sessions: number;
  /** Only calls of this function. */
  readonly function?: string | undefined;
  /** A file that gets each disagreement as a line of JSON. */
  readonly out?: string | undefined;
}

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
/** Kinds of generated statements. */
export const kinds = ["expressions", "literals", "casts", "aggregates", "arguments", "queries", "fields"];

/** Reads the command line; prints the usage and ends the process when it cannot be read. */
export function readCommandLine(): Options {
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
