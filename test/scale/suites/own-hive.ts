/** A Hive of a test's own, which can be killed or hang. */
import { HiveConnection } from "../../../service/engines/hiveserver2/client/connection";
import { HiveSession } from "../../../service/engines/hiveserver2/client/session";
import { dialectOf } from "../../../service/engines/hiveserver2/dialects";
import { type HiveOptions, type HiveServer, startHive } from "../../../tools/scale/hive/hive.mts";

/**
 * Starts a server that has run a statement. The first one of a new server can take longer on a busy machine than a service
 * waits for the check of a submission.
 */
export async function startOwnHive(options?: HiveOptions): Promise<HiveServer> {
  const server = await startHive(options);
  try {
    const { hostname: host, port } = new URL(server.url);
    const connection = await HiveConnection.open({ host, port: Number(port) }, new AbortController().signal);
    try {
      const session = await HiveSession.open(connection, "dag", dialectOf("hive"));
      await session.run("select count(*) from (select 1 as n) as one");
      await session.close();
    } finally {
      connection.close();
    }
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
