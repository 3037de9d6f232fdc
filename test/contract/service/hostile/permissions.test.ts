/** Objects that the service's user may not read. */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { call } from "../caller";
import { select, useServiceFolder, type User } from "../service-process";

const folder = useServiceFolder();

/** Permission bits do not stop root: the service then runs as nobody. */
const user: User = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const problem = whyNot();

function whyNot(): string | undefined {
  if (process.getuid === undefined) return "this system has no permission bits";
  const { status } = spawnSync(
    process.execPath,
    ["-e", `require("node:fs").accessSync(${JSON.stringify(__filename)})`],
    user,
  );
  return status === 0 ? undefined : "user 65534 may not read the folder of this repository";
}
if (problem !== undefined) process.stderr.write(`the tests of permissions are skipped: ${problem}\n`);

const own = (path: string) => {
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
};

test.skipIf(problem !== undefined)(
  "permissions: an object that the service may not read is named by every reader (StorageAccessError)",
  async () => {
    const buckets = join(folder.path, ".dag/buckets");
    folder.write("dag://rob/t/a.csv", "1,a\n");
    folder.write("dag://rob/t/b.csv", "2,b\n");
    folder.write("dag://rob/json/a.json", '{"a":1}\n');
    folder.write("dag://rob/json/b.json", '{"a":1}\n');
    mkdirSync(join(buckets, "rob/pq"));
    mkdirSync(join(buckets, "out"));
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    for (const name of ["a", "b"]) await connection.run(`COPY (SELECT 1 AS n) TO '${buckets}/rob/pq/${name}.parquet'`);
    connection.closeSync();
    for (const name of readdirSync(folder.path, { recursive: true, encoding: "utf8" })) own(join(folder.path, name));
    own(folder.path);
    const hidden = { t: "t/b.csv", json: "json/b.json", pq: "pq/b.parquet" };
    for (const path of Object.values(hidden)) chmodSync(join(buckets, "rob", path), 0);
    const service = await folder.start([], {}, user);
    for (const [table, path] of Object.entries(hidden)) {
      const message = `dag://rob/${path} cannot be accessed: permission denied (EACCES)`;
      const query = `SELECT * FROM rob.${table}`;
      const denied = { code: "StorageAccessError", message };
      expect.soft((await call(service, "POST", "/check", { body: { query } })).json.problems).toMatchObject([denied]);
      expect.soft((await select(service, { query })).json).toMatchObject({ ...denied, status: 400 });
      const shown = await call(service, "GET", `/catalog/rob/${table}`);
      expect.soft({ status: shown.status, ...shown.json }).toMatchObject({ ...denied, status: 400 });
    }
  },
);
