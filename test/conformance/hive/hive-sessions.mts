/** Hive's side: sessions of HiveServer2 with the tables in them. */
import hive from "hive-driver";
import type { Answer, Engine } from "./engine.mts";
import { retries, settings } from "./deviations.mts";
import { type ResultSchema, typesOf } from "./hive-types.mts";
import { rowsOf, type Table } from "./generate/tables.mts";

const { TCLIService, TCLIService_types: thriftTypes } = hive.thrift;

/** Settings that change no answer: what waits, repeats, and makes room for more than a few rows, is made small. */
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

/** One column of a page of rows: its values, and a bit for each that is NULL. */
interface ColumnValues {
  readonly values: readonly unknown[];
  readonly nulls?: Buffer;
}

/**
 * Opens a session. The tables are temporary ones: they end with it.
 * @param url such as `hive://127.0.0.1:10001`; the server takes connections without authentication (NOSASL).
 * @throws where nothing listens there, or the server refuses the tables.
 */
async function openSession(url: string, tables: readonly Table[]): Promise<Engine> {
  const { hostname, port } = new URL(url);
  const client = new hive.HiveClient(TCLIService, thriftTypes);
  // Calls whose connection breaks never end by themselves.
  const connection: { error?: Error } = {};
  const broken = new Promise<never>((_resolve, reject) => {
    const end = (error: Error) => {
      connection.error ??= error;
      reject(error);
    };
    client.on("error", end);
    client.on("close", () => end(new Error("the server has closed the connection")));
  });
  broken.catch(() => undefined);
  const unbroken = <Value,>(call: Promise<Value>) => Promise.race([call, broken]);
  const tcp = new hive.connections.TcpConnection();
  const address = { host: hostname, port: Number(port || 10_000) };
  await unbroken(client.connect(address, tcp, new hive.auth.NoSaslAuthentication()));
  const session = await unbroken(
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
      return { kind: "rows", ...(await unbroken(run(statement))) };
    } catch (error) {
      if (connection.error) throw error;
      return { kind: "refused", message: messageOf(error) };
    }
  };
  const ask = async (statement: string): Promise<Answer> => {
    const answer = await askOnce(statement);
    const retry = answer.kind === "refused" && retries.find(({ message }) => message.test(answer.message));
    if (!retry) return answer;
    await unbroken(run(`SET ${retry.name}=${retry.value}`));
    const again = await askOnce(statement);
    await unbroken(run(`SET ${retry.name}=${retry.usual}`));
    return again;
  };

  for (const setting of [...fastSettings, ...settings.map(({ name, value }) => `${name}=${value}`)])
    await unbroken(run(`SET ${setting}`));
  for (const table of tables) {
    if (table.fields) {
      for (const statement of linesOf(table)) await unbroken(run(statement));
      const told = await unbroken(run(`DESCRIBE FORMATTED ${table.name}_lines`));
      const location = told.rows.find(([name]) => name?.startsWith("Location:"))?.[1]?.trim();
      await unbroken(run(`CREATE TEMPORARY EXTERNAL TABLE ${table.name} (${columnsOf(table)}) LOCATION '${location}'`));
      continue;
    }
    await unbroken(
      run(`CREATE TEMPORARY TABLE ${table.name} (${columnsOf(table)}) STORED AS ${table.format ?? "TEXTFILE"}`),
    );
    if (table.rows.length > 0) await unbroken(run(`INSERT INTO ${table.name} ${rowsOf(table)}`));
  }
  return {
    ask,
    close: async () => {
      await unbroken(session.close()).catch(() => undefined);
      client.close();
    },
  };
}

const columnsOf = ({ columns }: Table) => columns.map(({ name, type }) => `\`${name}\` ${type}`).join(", ");

/** A table of whole lines, whose file another table reads as fields. */
function linesOf({ name, fields = [] }: Table): string[] {
  const quoted = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  const lines = fields.map((row) => `'${row.map(quoted).join("\\u0001")}'`);
  return [
    `CREATE TEMPORARY TABLE ${name}_lines (line string) STORED AS TEXTFILE`,
    `INSERT INTO ${name}_lines SELECT explode(array(${lines.join(",\n")}))`,
  ];
}

/** Rows of pages of columns. */
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
  // A bigint beyond what a number holds exactly.
  return Buffer.isBuffer(wide.buffer) ? String(wide.buffer.readBigInt64BE(wide.offset ?? 0)) : String(value);
}

/** What Hive says, without the names of the classes that pass it on. */
function messageOf(error: unknown): string {
  const { message, response } = error as Error & {
    response?: { status?: { errorMessage?: string }; errorMessage?: string };
  };
  const said = response?.status?.errorMessage ?? response?.errorMessage ?? message;
  // Of a job the last cause tells what failed; each attempt has causes of its own.
  const [attempt = said] = said.split("TaskAttempt 1 failed");
  const cause = [...attempt.matchAll(/^Caused by: (.*)$/gm)].at(-1)?.[1];
  return cause ?? said.replace(/^.*?(FAILED: |Exception: )/s, "").trim();
}

/** Opens several sessions that share the statements out among them. */
export async function openSessions(url: string, tables: readonly Table[], count: number): Promise<Engine> {
  const sessions: Engine[] = [];
  for (let index = 0; index < count; index += 1) sessions.push(await openSession(url, tables));
  const free = [...sessions];
  const waiting: ((session: Engine) => void)[] = [];
  const taken = () => {
    const session = free.pop();
    return session ?? new Promise<Engine>((resolve) => waiting.push(resolve));
  };
  return {
    ask: async (statement) => {
      const session = await taken();
      try {
        return await session.ask(statement);
      } finally {
        const next = waiting.shift();
        if (next) next(session);
        else free.push(session);
      }
    },
    close: async () => {
      await Promise.all(sessions.map((session) => session.close()));
    },
  };
}
