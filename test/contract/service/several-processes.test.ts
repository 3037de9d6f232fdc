/** Several service processes on one data folder and one PostgreSQL database. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { missingPostgres, usePostgres } from "../state/use-postgres";
import { call, ended, pause, send, type Target } from "./caller";
import { slow } from "./fixture";
import { gateContent, gated, gateObject, gateTable } from "./gate";
import { declared, kill, select, submitted, useServiceFolder } from "./service-process";

const tables = declared.replace("]", `, ${gateTable}]`);
/** A statement that takes a while, with one row as its result. */
const seconds =
  "select count(*) n from data.numbers a cross join data.numbers b where a.n < 10000 and (a.n + b.n) % 7 = 3";

const folder = useServiceFolder();

describe.skipIf(missingPostgres !== undefined)("several processes", () => {
  const postgres = usePostgres();

  const start = (args: readonly string[] = []) =>
    folder.start(["--tables", tables, ...args], { DAG_SERVICE_STATE: postgres.url });
  const startSome = async (count: number) => {
    const first = await start();
    folder.fill();
    folder.write(gateObject, gateContent.closed);
    return [first, ...(await Promise.all(Array.from({ length: count - 1 }, () => start())))];
  };
  const path = (name: string) => join(folder.path, ".dag", name);
  const statusOf = async (service: Target, id: number) =>
    (await call(service, "GET", `/v1/${id}?query`)).json.status as string;
  const running = (service: Target, output: string, query = slow) =>
    submitted(service, { query, outputResourcePath: `dag://out/${output}` });
  const openGate = () => folder.write(gateObject, gateContent.open);
  /** Lines of a query's log that say how it ended. */
  const ends = (id: number) =>
    readFileSync(path(`logs/demo/queries/0/${id}.log`), "utf8")
      .split("\n")
      .filter((line) => /Z (finished|error|canceled) after /.test(line));

  test("submitSelect: 200 at once over three processes start exactly instances − 1 queries, which every process shows", async () => {
    const services = await startSome(3);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        select(services[index % 3]!, { query: slow, outputResourcePath: `dag://out/r${index}` }),
      ),
    );
    const ids = answers.filter(({ status }) => status === 202).map(({ json }) => json.queryId as number);
    expect(ids).toHaveLength(4);
    expect(new Set(answers.filter(({ status }) => status !== 202).map(({ json }) => json.code))).toEqual(
      new Set(["TooManyQueries"]),
    );
    for (const service of services) {
      const { json } = await call(service, "GET", "/v1/?query&status=running");
      expect(json.queries.map(({ id }: { id: number }) => id)).toEqual(ids.sort((a, b) => b - a));
    }
    // Through another process than the one that runs them.
    for (const id of ids) {
      expect((await call(services[2]!, "DELETE", `/v1/${id}?query`)).status).toBe(204);
      expect(await statusOf(services[0]!, id)).toBe("canceled");
    }
    await expect.poll(() => readdirSync(path("buckets/out")), { timeout: 5000 }).toEqual([]);
  });

  test("kill -9: another process takes the queries over within 25 s, and each ends once", async () => {
    const [first, second] = await startSome(2);
    const long = await running(first!, "long");
    const short = await running(first!, "short", gated);
    await kill(first!.child, "SIGKILL");
    openGate();
    await expect
      .poll(() => readFileSync(path(`logs/demo/queries/0/${long}.log`), "utf8"), { timeout: 25_000, interval: 100 })
      .toContain("resumed");
    expect(await ended(second!, short)).toMatchObject({ status: "finished" });
    // The line follows the end.
    await expect.poll(() => ends(short)).toHaveLength(1);
    expect(readFileSync(path("buckets/out/short/000000_0"), "utf8")).toMatch(/^\d+\n$/);
    expect((await call(second!, "DELETE", `/v1/${long}?query`)).status).toBe(204);
    expect(readdirSync(path("buckets/out"))).toEqual(["short"]);
  });

  test("SIGSTOP past the lease: another process ends the query, and the stopped one changes nothing when it goes on", async () => {
    const [first, second] = await startSome(2);
    const id = await running(first!, "r", gated);
    first!.child.kill("SIGSTOP");
    openGate();
    expect(await ended(second!, id)).toMatchObject({ status: "finished" });
    const later = await select(second!, { outputResourcePath: "dag://out/r" });
    expect(await ended(second!, later.json.queryId)).toMatchObject({ status: "finished" });
    const result = readFileSync(path("buckets/out/r/000000_0"), "utf8");
    first!.child.kill("SIGCONT");
    await expect.poll(() => first!.stdout(), { timeout: 30_000 }).toContain("was taken over or ended by another");
    // It works on, and what it has noticed has ended before.
    const next = await submitted(first!, { outputResourcePath: "dag://out/next" });
    expect(await ended(first!, next)).toMatchObject({ status: "finished" });
    expect(readFileSync(path("buckets/out/r/000000_0"), "utf8")).toBe(result);
    expect(ends(id)).toHaveLength(1);
    expect(readdirSync(path("buckets/out")).toSorted()).toEqual(["next", "r"]);
    expect(await statusOf(first!, id)).toBe("finished");
  });

  test("SIGTERM: another process takes the queries over at once", async () => {
    const [first, second] = await startSome(2);
    const id = await running(first!, "r");
    await kill(first!.child, "SIGTERM");
    // Before its lease would have expired.
    await expect
      .poll(() => readFileSync(path(`logs/demo/queries/0/${id}.log`), "utf8"), { timeout: 9000, interval: 50 })
      .toContain("resumed");
    expect((await call(second!, "DELETE", `/v1/${id}?query`)).status).toBe(204);
  });

  test("restartCluster: restarts the engines of every process, and cancels what any of them runs", async () => {
    const [first, second] = await startSome(2);
    const id = await running(second!, "r");
    const restart = (body: object) => call(first!, "PUT", "/v1/demo?clusterManagement", { body });
    expect((await restart({})).json.code).toBe("QueryIsRunning");
    expect((await restart({ force: true, debug: true })).status).toBe(204);
    expect((await call(second!, "GET", `/v1/${id}?query`)).json).toMatchObject({
      status: "canceled",
      clusterRebooted: true,
    });
    for (const service of [first!, second!]) {
      await expect
        .poll(async () => (await call(service, "GET", "/v1/demo?clusterManagement")).json, { timeout: 20_000 })
        .toMatchObject({ status: "norm", debug: true });
      expect(await ended(service, (await select(service)).json.queryId)).toMatchObject({ status: "finished" });
    }
  });

  test("database gone: requests are 503 with Retry-After, a query goes on and ends when it is back, and nothing is lost", async () => {
    const service = (await startSome(1))[0]!;
    const { server } = postgres;
    const id = await running(service, "r", seconds);
    await server.kill();
    const answers = await Promise.all([
      select(service, { outputResourcePath: "dag://out/no" }),
      call(service, "GET", "/v1/?query"),
      call(service, "DELETE", `/v1/${id}?query`),
    ]);
    for (const { status, json, headers } of answers) {
      expect([status, json.code, headers["retry-after"]]).toEqual([503, "ServiceUnavailable", "1"]);
    }
    expect((await send(service.url, "GET", "/metrics", {})).text).toContain("\ndag_state_available 0\n");
    await pause(1500);
    await server.start();
    expect(await ended(service, id)).toMatchObject({ status: "finished" });
    expect((await select(service, { outputResourcePath: "dag://out/yes" })).status).toBe(202);
    expect(service.stdout() + service.stderr()).not.toContain(server.password);
    expect(service.stdout() + service.stderr()).not.toContain(encodeURIComponent(server.password));
  });

  test.each<[string, () => string, RegExp, number?]>([
    [
      "a wrong password",
      () => postgres.url.replace(/:[^:@]*@/, ":secret-word@"),
      /refuses the user "dag" with this password/,
    ],
    [
      "a database that does not exist",
      () => `${postgres.url}x`,
      /"test_\d+x" at 127\.0\.0\.1:\d+ does not exist: create it with createdb/,
    ],
    [
      "nobody at the port",
      () => postgres.url.replace(/:\d+\//, ":1/"),
      /at 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\): start PostgreSQL/,
      1,
    ],
    ["a URL of something else", () => "mysql://dag:secret-word@h/d", /state: it must be sqlite:FILE or postgres:/],
  ])("start: says in one line what is wrong with %s, without the password", async (_, wrong, message, code = 2) => {
    const DAG_SERVICE_CREDENTIALS = "[{accessKeyId: AK, secretAccessKey: SK}]";
    const refused = folder.run(["--listen", "127.0.0.1:0"], { DAG_SERVICE_STATE: wrong(), DAG_SERVICE_CREDENTIALS });
    // systemd starts it again with 1, not with 2.
    expect(await refused.exit).toBe(code);
    expect(refused.stderr()).toMatch(message);
    expect(refused.stderr().trim().split("\n")).toHaveLength(1);
    expect(refused.stderr()).not.toMatch(/secret-word|p%2540ss|p%40ss/);
  });

  test("start: a process with another config than one that runs is told in one line which fields differ", async () => {
    const first = await start();
    const same = await start();
    const other = await start([
      "--retention",
      "{days: 1}",
      "--views",
      '[{database: data, view: v, query: "SELECT 1"}]',
    ]);
    const warning = /the process [\w.-]+ on the same database has another config \(retention, views\): give all/g;
    await expect.poll(() => other.stdout().match(warning)).toHaveLength(2);
    expect(first.stdout() + same.stdout()).not.toMatch(/another config/);
  });

  test("start: refuses a data folder of another state, and a database of another data folder", async () => {
    const service = await start();
    const sqlite = folder.run(["--listen", "127.0.0.1:0"]);
    expect(await sqlite.exit).toBe(2);
    expect(sqlite.stderr()).toMatch(/is in use by another dag-service/);
    const elsewhere = folder.run(["--listen", "127.0.0.1:0", "--data", "elsewhere"], {
      DAG_SERVICE_STATE: postgres.url,
    });
    expect(await elsewhere.exit).toBe(2);
    expect(elsewhere.stderr()).toMatch(/is used with another data folder than .*elsewhere/);
    await kill(service.child, "SIGTERM");
    const other = folder.run(["--listen", "127.0.0.1:0"], {
      DAG_SERVICE_STATE: await postgres.server.createDatabase(),
    });
    expect(await other.exit).toBe(2);
    expect(other.stderr()).toMatch(/belongs to another database/);
    const file = folder.run(["--listen", "127.0.0.1:0"]);
    expect(await file.exit).toBe(2);
    expect(file.stderr()).toMatch(/are recorded in PostgreSQL: name that database with --state/);
  });
});
