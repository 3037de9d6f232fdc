/** The prompt of `dag-service sql`: statements that end with a semicolon, with history and completion. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { styleText } from "node:util";
import { catalogDatabase, catalogDatabases } from "../../contract";
import { call, type Access } from "./access";
import { CommandError, writeMessage } from "./command-error";
import { runStatement, type StatementOptions } from "./run-statement";
import { splitStatements } from "./statements";

const help = `Statements end with a semicolon and may have several lines: SELECT …; SHOW DATABASES; SHOW TABLES [IN database];
DESCRIBE [database.]table; Tab completes names. Ctrl-C cancels the query that runs, Ctrl-D or \`exit\` ends.`;
const maxHistory = 1000;
const keywords =
  "SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN LEFT ON HAVING UNION ALL DISTINCT WITH CASE WHEN THEN ELSE END LATERAL VIEW SHOW DATABASES TABLES DESCRIBE".split(
    " ",
  );

/** Asks for statements until the input ends. Returns the exit code. */
export async function runPrompt(access: Access, options: StatementOptions): Promise<number> {
  const file = join(process.env.XDG_STATE_HOME || join(homedir(), ".local/state"), "dag-service", "history");
  const names = new CatalogNames(access);
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    history: readHistory(file),
    historySize: maxHistory,
    removeHistoryDuplicates: true,
    completer: (line: string) => names.complete(line),
  });
  const prompt = (isFirst: boolean) =>
    lines.setPrompt(styleText("cyan", isFirst ? "dag> " : "  -> ", { stream: process.stdout }));
  let typed = "";
  let running: AbortController | undefined;
  lines.on("SIGINT", () => {
    if (running) return running.abort();
    typed = "";
    // What is typed on the line goes, too: to its end, and all before.
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
    process.stdout.write("\n");
    prompt(true);
    lines.prompt();
  });
  // A pasted text can end before its statements have run.
  let hasEnded = false;
  lines.once("close", () => (hasEnded = true));
  lines.on("history", (history: string[]) => writeHistory(file, history));
  process.stdout.write("Type a statement that ends with a semicolon, or `help`.\n");
  prompt(true);
  lines.prompt();
  for await (const line of lines) {
    const word = typed === "" ? line.trim().replace(/;$/, "").toLowerCase() : "";
    if (word === "exit" || word === "quit") break;
    if (word === "help") process.stdout.write(`${help}\n`);
    else {
      const { statements, rest } = splitStatements(`${typed}${line}\n`);
      typed = rest.trim() === "" ? "" : rest;
      for (const statement of statements) {
        running = new AbortController();
        const isDone = await runOne(access, statement, options, running.signal);
        running = undefined;
        names.forget();
        // What was typed behind a statement that failed may depend on it.
        if (!isDone) break;
      }
    }
    if (hasEnded) continue;
    prompt(typed === "");
    lines.prompt();
  }
  lines.close();
  return 0;
}

/** Runs a statement and prints its error. Returns false when it did not succeed. */
async function runOne(access: Access, statement: string, options: StatementOptions, signal: AbortSignal) {
  try {
    return (await runStatement(access, statement, options, signal)) === 0;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    writeMessage(error.message);
    return false;
  }
}

/** The names of databases and tables, read once each until they are forgotten. */
class CatalogNames {
  #databases: Promise<string[]> | undefined;
  readonly #tables = new Map<string, Promise<string[]>>();

  constructor(private readonly access: Access) {}

  /** Names of the next completion are read again: a statement may have made a table. */
  forget(): void {
    this.#databases = undefined;
    this.#tables.clear();
  }

  /**
   * Completes the last word of a line: a table behind `database.`, a database behind SHOW TABLES IN, else a keyword, a
   * database or a table of `default`.
   */
  async complete(line: string): Promise<[string[], string]> {
    const [word = ""] = /[\w.-]*$/.exec(line) ?? [];
    if (/\bshow\s+tables\s+(?:in|from)\s+[\w-]*$/i.test(line)) {
      return [(await this.#names()).filter((each) => each.startsWith(word)), word];
    }
    const dot = word.lastIndexOf(".");
    if (dot >= 0) {
      const database = word.slice(0, dot);
      const tables = (await this.#tablesOf(database)).map((table) => `${database}.${table}`);
      return [tables.filter((table) => table.startsWith(word)), word];
    }
    const databases = (await this.#names()).map((name) => `${name}.`);
    const names = [...databases, ...(await this.#tablesOf("default"))];
    const found = [
      ...names.filter((each) => each.startsWith(word)),
      ...keywords.filter((keyword) => word !== "" && keyword.startsWith(word.toUpperCase())),
    ];
    return [found, word];
  }

  #names(): Promise<string[]> {
    return (this.#databases ??= call(this.access, catalogDatabases, "GET", "/catalog").then(
      ({ databases }) => databases.map(({ name }) => name),
      () => [],
    ));
  }

  #tablesOf(database: string): Promise<string[]> {
    const known = this.#tables.get(database);
    if (known) return known;
    const read = call(this.access, catalogDatabase, "GET", `/catalog/${encodeURIComponent(database)}`).then(
      ({ tables, views }) => [...tables.map(({ table }) => table), ...views.map(({ view }) => view)],
      () => [],
    );
    this.#tables.set(database, read);
    return read;
  }
}

function readHistory(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean).toReversed().slice(0, maxHistory);
  } catch {
    return [];
  }
}

/** Stores the lines, the oldest first. A history that cannot be stored is not worth an error. */
function writeHistory(file: string, newestFirst: readonly string[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${newestFirst.toReversed().join("\n")}\n`, { mode: 0o600 });
  } catch {
    return;
  }
}
