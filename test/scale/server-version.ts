/** Asks a server what it is. */
import { HiveConnection } from "../../service/engines/hiveserver2/client/connection";
import { HiveSession } from "../../service/engines/hiveserver2/client/session";
import { dialectOf } from "../../service/engines/hiveserver2/dialects";

/** Returns the name and version of a server, with its URL. */
export async function versionOf(dialect: "hive" | "spark", url: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const connection = await HiveConnection.open({ host, port: Number(port) }, new AbortController().signal);
  const session = await HiveSession.open(connection, "dag", dialectOf(dialect));
  const { name, version } = await session.server();
  await session.close();
  return `${name} ${version} at ${url}`;
}
