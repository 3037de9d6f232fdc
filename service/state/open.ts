/** Opens the state that the config names. The message of an error says what is wrong with it, and what to do. */
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { errors } from "../../contract";
import { diskProblem } from "../../storage/disk-errors";
import { replaceFile } from "../../storage/durable";
import type { ServiceConfig } from "../config/schema";
import { TemporaryStartError, StartError } from "../config/start-error";
import { differingFields } from "../config/shared";
import { followLinks, lockStateFile } from "./lock";
import type * as Connection from "./postgres/connection";
import type { OtherProcess, ProcessConfig } from "./postgres/process-registry";
import { markFileOf } from "./sqlite/high-water-mark";
import { openState } from "./sqlite";
import type { QueryLogStore } from "./query-logs";
import type { StateAdapter } from "./state-adapter";
import { ServerTooOldError, StateLossError, StateVersionError } from "./state-errors";

/** What opening a state needs besides the config. */
export interface OpenOptions {
  /** The service's clock. */
  readonly now: () => number;
  /** True to use a state file that lost its end. */
  readonly acceptLoss: boolean;
  /** Name of this process, which no two running processes share. */
  readonly processName: string;
  /** True when processes need not share the data folder, because nothing that others read is in it. */
  readonly isApart: boolean;
  /** What this process shares with others. */
  readonly process?: ProcessConfig;
}

/** A state, and the store of query logs that processes without a common folder share. */
export interface OpenedState {
  readonly state: StateAdapter;
  /** The lock of the state file, to be released when the state is closed; undefined for a database. */
  readonly lock: Disposable | undefined;
  readonly queryLogs: QueryLogStore | undefined;
  /** Lines for the service's log: what this process should have in common with others, and has not. */
  readonly warnings: readonly string[];
}

/** Where the state is. */
export type StateSetting = NonNullable<ServiceConfig["state"]>;

/** Returns the state's setting, with its default. SQLite keeps its log beside a file, and not beside a link to it. */
export function stateSetting({ state, data }: Pick<ServiceConfig, "state" | "data">): StateSetting {
  if (state?.kind === "postgres") return state;
  return { kind: "sqlite", file: followLinks(state?.file ?? join(data, stateFileName)) };
}

/** Name of the state file in the data folder, unless the config names another one. */
const stateFileName = "state.sqlite";

/** Opens the state. @throws {StartError} */
export async function openConfiguredState(
  config: Pick<ServiceConfig, "state" | "data">,
  options: OpenOptions,
): Promise<OpenedState> {
  const setting = stateSetting(config);
  if (existsSync(unfinishedRestoreOf(config.data))) {
    throw new StartError(
      `folder ${config.data} holds a part of a backup, because dag-service restore was interrupted: delete the folder and the buckets that it has written, and restore the backup again`,
    );
  }
  if (setting.kind === "postgres") {
    const file = join(config.data, stateFileName);
    if (existsSync(file) && !existsSync(bindingOf(config.data))) {
      throw new StartError(
        `the queries of ${config.data} are recorded in ${file}, and state names a database: move the record there with dag-service migrate, or set no state; if nobody needs the record, move that file away`,
      );
    }
    return await openDatabase(setting.url, config.data, options);
  }
  if (existsSync(bindingOf(config.data))) {
    throw new StartError(
      `the queries of ${config.data} are recorded in PostgreSQL: name that database with --state, or move the record back with dag-service migrate; if the database is gone for good, move ${bindingOf(config.data)} away`,
    );
  }
  const own = join(config.data, stateFileName);
  if (!existsSync(setting.file) && existsSync(own)) {
    throw new StartError(
      `the queries of ${config.data} are recorded in ${own}, and state names ${setting.file}, which does not exist: move the file and those that begin with its name there, or set no state`,
    );
  }
  const lock = holdFile(setting.file, config.state ? "--state" : "--data");
  try {
    return { state: openFile(setting.file, options), lock, queryLogs: undefined, warnings: [] };
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

/** Returns the file that says which database the data folder belongs to. */
export function bindingOf(data: string): string {
  return join(data, "state.json");
}

/** Returns the file that a restore deletes when it has ended. */
export function unfinishedRestoreOf(data: string): string {
  return join(data, "restore.json");
}

/**
 * Locks a state file for this process. SQLite itself reports one that cannot be written as a disk that cannot.
 * @param setting the flag that selects another file, for the error message
 * @param access throws when a file or folder cannot be read and written
 * @throws {StartError} when it is in use, or a file of the state cannot be read and written
 */
export function holdFile(file: string, setting: string, access: typeof accessSync = accessSync): Disposable {
  const folder = dirname(file);
  for (const path of [folder, file, `${file}-wal`, `${file}-shm`]) {
    try {
      access(path, constants.R_OK | constants.W_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (diskProblem(error) !== undefined) throw error;
      if (code === "ENOENT" && path !== folder) continue;
      throw new StartError(
        `${path === folder ? `folder ${folder} of the state file` : `state file ${path}`} cannot be used (${code}): ${code === "ENOENT" ? "create it" : "make it readable and writable"}, or choose another with ${setting}`,
        { cause: error },
      );
    }
  }
  return lockStateFile(file, setting);
}

/** Opens a state file, which the caller holds. @throws {StartError} */
export function openFile(file: string, { now, acceptLoss }: Pick<OpenOptions, "now" | "acceptLoss">): StateAdapter {
  try {
    return openState(file, { now, acceptLoss });
  } catch (error) {
    if (error instanceof StateLossError) {
      throw new StartError(
        `state file ${file} cannot be used: ${error.message}; restore a backup with "dag-service restore", or put back a copy of it, with ${file}-wal if that has one, or move it away if it is damaged, and start once with --accept-state-loss, which keeps what is there; leave ${markFileOf(file)} as it is: only with it no query ID is given again`,
        { cause: error },
      );
    }
    if (error instanceof StateVersionError) {
      throw new StartError(
        `state file ${file} cannot be used: ${error.message}; start that newer version, or choose another folder with --data`,
        { cause: error },
      );
    }
    if (diskProblem(error) !== undefined) throw error;
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    throw new StartError(
      `state file ${file} cannot be used (${code}): make it readable and writable, or choose another folder with --data`,
      { cause: error },
    );
  }
}

async function openDatabase(url: string, data: string, options: OpenOptions): Promise<OpenedState> {
  const { now, processName, isApart, process } = options;
  // Loaded only by services that need it.
  const [{ openPostgresState }, connection] = await Promise.all([
    import("./postgres/index.js"),
    import("./postgres/connection.js"),
  ]);
  try {
    const state = await openPostgresState({ url, processName, now, config: process });
    try {
      const { id, isFirst } = await state.bind();
      await bindFolder(data, { id, isFirst: isFirst || isApart });
      const warnings = process ? warningsOf(process, await state.listProcesses()) : [];
      return { state, lock: undefined, queryLogs: isApart ? state.queryLogs : undefined, warnings };
    } catch (error) {
      await state.close();
      throw error;
    }
  } catch (error) {
    throw error instanceof StartError ? error : databaseError(url, error, connection);
  }
}

function warningsOf({ shared }: ProcessConfig, others: readonly OtherProcess[]): string[] {
  return others.flatMap(({ name: uniqueName, config }) => {
    const fields = differingFields(shared, config);
    const name = uniqueName.slice(uniqueName.indexOf("/") + 1);
    return fields.length === 0
      ? []
      : [
          `the process ${name} on the same database has another config (${fields.join(", ")}): give all processes the same, and start them again`,
        ];
  });
}

const binding = z.strictObject({ postgres: z.string() });

/** Milliseconds in which another process that binds the folder at this moment writes its file. */
const bindingTime = 3000;

/** Checks that the data folder and the database belong together, or binds them. @throws {StartError} */
export async function bindFolder(
  data: string,
  { id, isFirst }: { readonly id: string; readonly isFirst: boolean },
): Promise<void> {
  const file = bindingOf(data);
  if (isFirst && !existsSync(file)) return replaceFile(file, `${JSON.stringify({ postgres: id })}\n`);
  for (const end = Date.now() + bindingTime; !existsSync(file) && Date.now() < end;) await sleep(50);
  if (!existsSync(file)) {
    throw new StartError(
      `the state's database is used with another data folder than ${data}: name that one with --data, or another database with --state`,
    );
  }
  const found = binding.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (found.data?.postgres === id) return;
  throw new StartError(
    `folder ${data} belongs to another database than the one of --state: name that database, or another folder with --data; if its database is gone for good, move ${file} away`,
  );
}

/** Says what is wrong with the database, without its password. Returns any other error as it is. */
export function databaseError(
  url: string,
  error: unknown,
  { codeOf, isRefusal }: Pick<typeof Connection, "codeOf" | "isRefusal">,
): unknown {
  const { hostname, port, pathname, username } = new URL(url);
  const name = decodeURIComponent(pathname.slice(1));
  const where = `the state's database "${name}" at ${hostname}:${port || 5432}`;
  if (error instanceof ServerTooOldError) return new StartError(`${where} cannot be used: ${error.message}`);
  if (error instanceof StateVersionError) {
    return new StartError(
      `${where} cannot be used: ${error.message}; start that newer version, or name another database`,
    );
  }
  if (error instanceof errors.ServiceUnavailable) {
    const code = codeOf((error.cause as Error | undefined)?.cause);
    const text = `${where} ${connectionProblem(url, code)}`;
    return code === undefined || awayCodes.test(code) ? new TemporaryStartError(text) : new StartError(text);
  }
  if (!isRefusal(error)) return error;
  const remedies: Readonly<Record<string, string>> = {
    "28P01": `refuses the user "${username}" with this password: correct USER and PASSWORD in state`,
    "28000": `refuses the user "${username}": allow it in pg_hba.conf, correct USER in state${/[?&]ssl/.test(url) ? "" : ", or encrypt the connection with ?sslmode=verify-full"}`,
    "3D000": `does not exist: create it with createdb ${name}, or correct DATABASE in state`,
    "42501": `does not let the user "${username}" create the schema dag: GRANT CREATE ON DATABASE "${name}" TO "${username}"`,
  };
  const { code = "unknown" } = error;
  return new StartError(`${where} ${remedies[code] ?? `cannot be used (SQLSTATE ${code}): see PostgreSQL's log`}`);
}

/** Codes of the network and SQLSTATE codes of a server that does not take connections now. */
const awayCodes = /^(?:ECONN|EHOST|ENET|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|08|53|57P)/;

/** Says why no connection could be made, as the end of a sentence. @param code SQLSTATE, or that of the network or of TLS */
function connectionProblem(url: string, code: string | undefined): string {
  const known = code === undefined ? undefined : connectionProblems[code];
  if (known !== undefined) return known;
  const isEncrypted = /[?&]ssl/.test(url) && !/[?&]sslmode=disable(?:&|$)/.test(url);
  if (isEncrypted && /^(?:ENOENT|EACCES|EISDIR)$/.test(code ?? "")) {
    return `needs a file that cannot be read (${code}): correct sslrootcert, sslcert or sslkey in state`;
  }
  if (/^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code ?? "")) {
    return "has a certificate that is not trusted: name the file of its authority with sslrootcert in state";
  }
  if (/^(?:CERT_|ERR_TLS|ERR_SSL|ERR_OSSL)/.test(code ?? "")) {
    return `cannot be connected to by TLS (${code}): check its certificate, and sslmode in state`;
  }
  const plain = isEncrypted ? ", or remove sslmode if the server takes no encrypted connections" : "";
  return `cannot be reached (${code ?? "the connection ended"}): start PostgreSQL, or correct HOST and PORT in state${plain}`;
}

const connectionProblems: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate for another host: use the name in its certificate as HOST in state",
  CERT_HAS_EXPIRED: "has a certificate that has expired: renew it",
  "25006": "is read-only: name the server that takes changes as HOST in state",
  "53300": "has no connection left: raise its max_connections, or stop other clients",
  "57P03": "is starting or stopping: start again when it takes connections",
};
