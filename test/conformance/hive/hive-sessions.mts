/** Opens sessions of HiveServer2 that have the tables. */
import hive from "hive-driver";
import type { Answer, Engine } from "./engine.mts";
import { retries, settings } from "./deviations.mts";
import { type ResultSchema, typesOf } from "./hive-types.mts";
import { rowsOf, type Table } from "./generate/tables.mts";
import { type Lakes, lakeStatements } from "./lakes.mts";

const { TCLIService, TCLIService_types: thriftTypes } = hive.thrift;

/** Settings that make Hive faster without changing answers: shorter waits, fewer retries, smaller buffers. */
const fastSettings = [
  "hive.tez.dag.status.check.interval=20ms",
  "hive.exec.reducers.max=1",
  "hive.tez.auto.reducer.parallelism=false",
  "tez.am.container.reuse.locality.delay-allocation-millis=0",
  "tez.task.get-task.sleep.interval-ms.max=20",
  "tez.runtime.io.sort.mb=4",
  "tez.am.task.max.failed.attempts=2",
  "tez.runtime.unordered.output.buffer.size-mb=4",
];

interface Session extends Engine {
  /** Runs a statement. @throws Error when Hive refuses it. */
  run(statement: string): Promise<void>;
}

/** One column of a page of rows: its values, and a bitmap of the NULLs. */
interface ColumnValues {
  readonly values: readonly unknown[];
  readonly nulls?: Buffer;
}

/**
 * Opens a session with the tables, which are temporary tables of the session.
 * @param url such as `hive://127.0.0.1:10001`; the server accepts connections without authentication (NOSASL).
 * @param database the session's database, which is made if it does not exist.
 * @throws Error when nothing listens at the URL, or when the server refuses the tables.
 */
async function openSession(url: string, tables: readonly Table[], database?: string): Promise<Session> {
  const { hostname, port } = new URL(url);
  const client = new hive.HiveClient(TCLIService, thriftTypes);
  // The driver's calls never settle when the connection breaks, so each call races against its end.
  const connection: { error?: Error } = {};
  const broken = new Promise<never>((_resolve, reject) => {
    const end = (error: Error) => {
      connection.error ??= error;
      reject(error);
    };
    client.on("error", end);
    client.on("close", () => end(new Error("HiveServer2 has closed the connection")));
  });
  broken.catch(() => undefined);
  const whileConnected = <Value,>(call: Promise<Value>) => Promise.race([call, broken]);
  const tcp = new hive.connections.TcpConnection();
  const address = { host: hostname, port: Number(port || 10_000) };
  await whileConnected(client.connect(address, tcp, new hive.auth.NoSaslAuthentication()));
  const session = await whileConnected(
    client.openSession({ client_protocol: thriftTypes.TProtocolVersion.HIVE_CLI_SERVICE_PROTOCOL_V10 }),
  );
  const utils = new hive.HiveUtils(thriftTypes);

  const run = async (statement: string) => {
    const operation = await session.executeStatement(statement, { runAsync: true });
    try {
      await utils.waitUntilReady(operation, false);
      await utils.fetchAll(operation);
      const pages = operation.getData() as unknown as { columns?: Record<string, ColumnValues | null>[] }[];
      return { rows: rowsIn(pages), types: typesOf(operation.getSchema() as ResultSchema | null) };
    } finally {
      await operation.close().catch(() => undefined);
    }
  };
  const askOnce = async (statement: string): Promise<Answer> => {
    try {
      return { kind: "rows", ...(await whileConnected(run(statement))) };
    } catch (error) {
      if (connection.error) throw error;
      return { kind: "refused", message: messageOf(error) };
    }
  };
  const ask = async (statement: string): Promise<Answer> => {
    const answer = await askOnce(statement);
    const retry = answer.kind === "refused" && retries.find(({ message }) => message.test(answer.message));
    if (!retry) return answer;
    await whileConnected(run(`SET ${retry.name}=${retry.value}`));
    const again = await askOnce(statement);
    await whileConnected(run(`SET ${retry.name}=${retry.usual}`));
    return again;
  };

  for (const setting of [...fastSettings, ...settings.map(({ name, value }) => `${name}=${value}`)])
    await whileConnected(run(`SET ${setting}`));
  if (database !== undefined) {
    await whileConnected(run(`CREATE DATABASE IF NOT EXISTS ${database}`));
    await whileConnected(run(`USE ${database}`));
  }
  for (const table of tables) {
    if (table.fields) {
      for (const statement of linesOf(table)) await whileConnected(run(statement));
      const description = await whileConnected(run(`DESCRIBE FORMATTED ${table.name}_lines`));
      const location = description.rows.find(([name]) => name?.startsWith("Location:"))?.[1]?.trim();
      await whileConnected(
        run(`CREATE TEMPORARY EXTERNAL TABLE ${table.name} (${columnsOf(table)}) LOCATION '${location}'`),
      );
      continue;
    }
    await whileConnected(
      run(`CREATE TEMPORARY TABLE ${table.name} (${columnsOf(table)}) STORED AS ${table.format ?? "TEXTFILE"}`),
    );
    if (table.rows.length > 0) await whileConnected(run(`INSERT INTO ${table.name} ${rowsOf(table)}`));
  }
  return {
    ask,
    run: async (statement) => {
      await whileConnected(run(statement));
    },
    close: async () => {
      await whileConnected(session.close()).catch(() => undefined);
      client.close();
    },
  };
}

const columnsOf = ({ columns }: Table) => columns.map(({ name, type }) => `\`${name}\` ${type}`).join(", ");

/** Returns statements that create a table of whole lines; another table reads its file as fields. */
function linesOf({ name, fields = [] }: Table): string[] {
  const quoted = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  const lines = fields.map((row) => `'${row.map(quoted).join("\\u0001")}'`);
  return [
    `CREATE TEMPORARY TABLE ${name}_lines (line string) STORED AS TEXTFILE`,
    `INSERT INTO ${name}_lines SELECT explode(array(${lines.join(",\n")}))`,
  ];
}

/** Converts pages of columns to rows. */
function rowsIn(pages: readonly { columns?: readonly Record<string, ColumnValues | null>[] }[]): (string | null)[][] {
  return pages.flatMap(({ columns = [] }) => {
    const found = columns.map((column) => Object.values(column).find((values) => values != null));
    const length = found[0]?.values.length ?? 0;
    return Array.from({ length }, (_unused, row) => found.map((column) => (column ? valueAt(column, row) : null)));
  });
}

function valueAt({ values, nulls }: ColumnValues, row: number): string | null {
  const isNull = ((nulls?.[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
  const value = values[row];
  if (isNull || value === null || value === undefined) return null;
  if (Buffer.isBuffer(value)) return value.toString("utf8");
  const wide = value as { buffer?: Buffer; offset?: number };
  // The driver returns a bigint that a number cannot represent exactly as a buffer.
  return Buffer.isBuffer(wide.buffer) ? String(wide.buffer.readBigInt64BE(wide.offset ?? 0)) : String(value);
}

/** Returns Hive's error message without the names of the wrapping exceptions. */
function messageOf(error: unknown): string {
  const { message, response } = error as Error & {
    response?: { status?: { errorMessage?: string }; errorMessage?: string };
  };
  const said = response?.status?.errorMessage ?? response?.errorMessage ?? message;
  // The message of a failed job has the causes of each attempt; the last cause of the first attempt has the reason.
  const [attempt = said] = said.split("TaskAttempt 1 failed");
  const cause = [...attempt.matchAll(/^Caused by: (.*)$/gm)].at(-1)?.[1];
  return cause ?? said.replace(/^.*?(FAILED: |Exception: )/s, "").trim();
}

/**
 * Opens several sessions, and runs each statement in a free one.
 * @param lakes tables whose files Hive writes first.
 */
export async function openSessions(
  url: string,
  tables: readonly Table[],
  count: number,
  lakes?: Lakes,
): Promise<Engine> {
  const sessions: Session[] = [];
  for (let index = 0; index < count; index += 1) sessions.push(await openSession(url, tables, lakes?.database));
  const [first] = sessions;
  if (lakes && first) for (const statement of lakeStatements(lakes)) await first.run(statement);
  const free = [...sessions];
  const waiting: ((session: Session) => void)[] = [];
  const acquire = () => {
    const session = free.pop();
    return session ?? new Promise<Session>((resolve) => waiting.push(resolve));
  };
  return {
    ask: async (statement) => {
      const session = await acquire();
      try {
        return await session.ask(statement);
      } finally {
        const next = waiting.shift();
        if (next) next(session);
        else free.push(session);
      }
    },
    close: async () => {
      if (lakes) await first?.run(`DROP DATABASE ${lakes.database} CASCADE`);
      await Promise.all(sessions.map((session) => session.close()));
    },
  };
}
