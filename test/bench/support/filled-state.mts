/** Fills the state of a service with ended queries. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openDoor, type DoorOptions } from "./door.mts";

/** Starts a service once, so that its folder has a state, and adds ended queries to it. */
export async function fillState(options: DoorOptions & { readonly directory: string }, size: number): Promise<void> {
  await (await openDoor(options))[Symbol.asyncDispose]();
  const clusters = (options.clusters as readonly { readonly name: string }[] | undefined) ?? [{ name: "demo" }];
  const database = new DatabaseSync(join(options.directory, "state.sqlite"));
  const insert = database.prepare(
    `INSERT INTO queries (type, status, cluster_name, access_key_id, label, start_time, end_time, progress, stage, job_id, request)
     VALUES (?, ?, ?, 'BENCHACCESSKEY', ?, ?, ?, 100, 2, ?, ?)`,
  );
  database.exec("PRAGMA synchronous = OFF; BEGIN");
  for (let id = 1; id <= size; id += 1) {
    const type = id % 3 === 0 ? "split" : "select";
    const label = `job-${String(Math.floor((id / size) * 1_000_000)).padStart(6, "0")}#${id}`;
    // Not long ago: records are kept for 30 days.
    const time = Date.now() - (size - id);
    const { name } = clusters[id % clusters.length]!;
    const status = id % 1000 === 0 ? "error" : "finished";
    insert.run(type, status, name, label, time, time, `job_${id}`, requestOf(type, id));
  }
  database.exec("COMMIT");
  database.close();
}

function requestOf(type: "select" | "split", id: number): string {
  const request =
    type === "select"
      ? {
          query: `select v, count(*) n from data.events where id > ${id} group by v`,
          outputFormat: "csv",
          outputResourcePath: `dag://out/r${id}/`,
        }
      : {
          inputObjectKeys: [`dag://data/input-${id}.csv`],
          inputFormat: "csv",
          schema: "bigint id, string v",
          outputDatabase: "data",
          outputTable: `t${id}`,
        };
  return JSON.stringify(request);
}
