import { fork, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bigRows, builtModule, columns, endless, Machine, Recorder, submission } from "./harness";
import {
  engineLog,
  expectCancel,
  isAlive,
  monstrous,
  processOf,
  processesOf,
  residentBytes,
  startsOf,
  until,
  useEngine,
} from "./processes";

const shared = useEngine();
const { startEndless } = shared;

describe("cancel", () => {
  test("select: ends within a second, rejects with the signal's reason, and the engine goes on", async () => {
    const { machine, engine } = shared;
    const controller = new AbortController();
    const { running, pid } = await startEndless(machine, engine, controller.signal);
    await expectCancel(controller, running, pid);
    expect(await machine.run(engine, "SELECT 1 + 1", [])).toBe("2\n");
  });

  test("select: does not start when the signal is already aborted", async () => {
    const { machine, engine } = shared;
    const context = new Recorder(AbortSignal.abort(new Error("too late")));
    await expect(machine.run(engine, "SELECT 1", [], { context })).rejects.toThrow("too late");
    expect(context.steps).toEqual([]);
  });

  test("split: ends within a second", async () => {
    const { machine, engine } = shared;
    const input = machine.put("inputs", "big.csv", Buffer.alloc(200_000_000, '"a,b",c\n'));
    const controller = new AbortController();
    const context = new Recorder(controller.signal);
    // So many objects, each of which is flushed, take seconds.
    const job = { queryId: 1, inputs: [input], format: "csv", output: machine.output(), objectBytes: 20_000 } as const;
    const running = engine.split(job, context);
    running.catch(() => undefined);
    await until(() => context.steps.length > 1);
    await expectCancel(controller, running, await processOf(machine, context));
  });
});

describe("end", () => {
  test("close: ends the processes as expected and rejects their requests", async () => {
    await using machine = new Machine();
    const engine = await machine.start();
    const { running } = await startEndless(machine, engine);
    await startEndless(machine, engine);
    const pids = processesOf(machine);
    expect(pids).toHaveLength(2);
    await engine.close();
    await expect(running).rejects.toThrow("the engine was closed");
    expect(await engine.ended).toEqual({ expected: true, reason: "the engine was closed" });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(processesOf(machine)).toEqual([]);
    expect(engineLog(machine)).toContain("engine closed");
    await expect(machine.run(engine, "SELECT 1", [])).rejects.toThrow("the engine was closed");
    await engine.close();
  });

  test("close: a check that runs is refused with the state of the cluster", async () => {
    await using machine = new Machine();
    const engine = await machine.start();
    const big = machine.table("big", bigRows, { columns: columns("n int") });
    const checking = engine.checkSelect({ statement: monstrous, tables: [big] }, submission);
    checking.catch(() => undefined);
    await until(() => engineLog(machine).includes("checkSelect"));
    await engine.close();
    await expect(checking).rejects.toMatchObject({ code: "InvalidClusterState", field: "clusterName" });
    await expect(engine.tablesRead("SELECT 1", submission)).rejects.toMatchObject({ code: "InvalidClusterState" });
  });

  test.each([
    ["SIGKILL", /was killed \(SIGKILL\)/],
    ["SIGSEGV", /crashed \(SIGSEGV\)/],
    ["SIGABRT", /crashed \(SIGABRT\)/],
  ] as const)(
    "%s: ends the one query of the process with the reason, no other, and the engine goes on",
    async (signal, reason) => {
      const { machine, engine } = shared;
      const other = await startEndless(machine, engine);
      const { running, pid } = await startEndless(machine, engine);
      let isOtherRunning = true;
      other.running.catch(() => (isOtherRunning = false));
      process.kill(pid, signal);
      await expect(running).rejects.toThrow(reason);
      expect(await machine.run(engine, "SELECT 1", [])).toBe("1\n");
      expect(isOtherRunning).toBe(true);
    },
  );

  test("SIGKILL of the idle process: the next select runs in another", async () => {
    await using machine = new Machine();
    const engine = await machine.start();
    for (let round = 0; round < 3; round += 1) {
      for (const pid of processesOf(machine)) process.kill(pid, "SIGKILL");
      expect(await machine.run(engine, "SELECT 1", [])).toBe("1\n");
    }
  });

  test("SIGSTOP: a check does not wait for a process that is stopped", async () => {
    await using machine = new Machine();
    const engine = await machine.start();
    for (const pid of processesOf(machine)) process.kill(pid, "SIGSTOP");
    expect(await engine.tablesRead("SELECT * FROM t", submission)).toEqual([{ database: "default", table: "t" }]);
  });

  test("SIGSTOP: a query whose process is stopped is cancelled within a second", async () => {
    const { machine, engine } = shared;
    const controller = new AbortController();
    const { running, pid } = await startEndless(machine, engine, controller.signal);
    process.kill(pid, "SIGSTOP");
    await expectCancel(controller, running, pid);
  });

  test("start: ends processes that an earlier service has left, and no other program", async () => {
    await using machine = new Machine();
    const engine = await machine.start();
    const records = join(machine.directory("c1"), "processes");
    const [token] = readdirSync(records).map((name) => readFileSync(join(records, name), "utf8"));
    const left = spawn("sleep", ["60"], { argv0: `sleep-${token}`, stdio: "ignore" });
    const stranger = spawn("sleep", ["60"], { stdio: "ignore" });
    await engine.close();
    for (const { pid } of [left, stranger]) writeFileSync(join(records, String(pid)), token!);
    const again = await machine.start({ directory: machine.directory("c1") });
    await until(() => left.signalCode === "SIGKILL");
    expect(isAlive(stranger.pid!)).toBe(true);
    stranger.kill();
    await again.close();
  });

  test.each([
    ["DuckDB", endless],
    ["JavaScript", "SELECT count(*) FROM big WHERE concat(repeat('a', 40), n) rlike '(?=a)(a+)+$'"],
  ])("kill -9 of the parent: ends its processes, also while one computes in %s", async (_, statement) => {
    await using machine = new Machine();
    machine.table("big", bigRows);
    const script = join(machine.root, "parent.cjs");
    writeFileSync(
      script,
      `const { duckDbFamily } = require(${JSON.stringify(builtModule)});
       const { directory, statement, table } = JSON.parse(process.argv[2]);
       const storage = {
         directory,
         path: ({ bucket, key }) => directory + "/" + bucket + "/" + key,
         async *list(folder) { yield { location: { ...folder, key: folder.key + "part-1" }, size: 1, lastModified: new Date(0) }; },
       };
       const options = { clusterName: "c", debug: false, memoryBytes: 1e9, threads: 2, directory: directory + "/../clusters/c" };
       duckDbFamily({ storage }).start(options).then((engine) =>
         engine.select(
           { queryId: 1, statement, tables: [table], outputFormat: "csv", output: { bucket: "out", key: "x/" } },
           { signal: new AbortController().signal, progress: (_, stage) => stage === 2 && process.send("running"), log() {}, jobId() {} },
         ));`,
    );
    const table = { database: "default", table: "big", location: { bucket: "default", key: "big/" }, format: "csv" };
    const columnList = columns("n int");
    const argument = JSON.stringify({
      directory: machine.buckets,
      statement,
      table: { ...table, columns: columnList },
    });
    const parent = fork(script, [argument], { stdio: "ignore" });
    await new Promise((resolve) => parent.once("message", resolve));
    const pids = processesOf(machine, "c");
    expect(pids.filter(isAlive)).toEqual(pids);
    parent.kill("SIGKILL");
    await until(() => !pids.some(isAlive));
  });
});

describe("process", () => {
  test("environment: no variable of the parent is inherited", async () => {
    const { machine, engine } = shared;
    // Whatever the tests before have ended, the process of this statement is there.
    await machine.run(engine, "SELECT 1", []);
    const environment = readFileSync(`/proc/${processesOf(machine)[0]}/environ`, "utf8");
    expect(
      environment
        .split("\0")
        .map((entry) => entry.split("=")[0])
        .filter((name) => name !== "")
        .toSorted(),
    ).toEqual(
      [
        "LANG",
        "MALLOC_ARENA_MAX",
        "NODE_CHANNEL_FD",
        "NODE_CHANNEL_SERIALIZATION_MODE",
        "TZ",
        "UV_THREADPOOL_SIZE",
      ].filter((name) => environment.includes(name)),
    );
    expect(environment).not.toContain("secret-of-the-parent");
  });

  test("select: the next one uses the process again, which has given back the memory of the one before", async () => {
    await using machine = new Machine();
    const engine = await machine.start();
    const big = machine.table("big", bigRows, { columns: columns("n int") });
    const first = new Recorder();
    expect(await machine.run(engine, "SELECT count(*) FROM big", [big], { context: first })).toBe("20000\n");
    const pid = await processOf(machine, first);
    const before = residentBytes(pid);
    const large =
      "SELECT count(*) FROM (SELECT DISTINCT a.n * 20000L + b.n FROM big a JOIN big b ON a.n % 100 = b.n % 100) d";
    expect(await machine.run(engine, large, [big])).toBe("4000000\n");
    await until(() => residentBytes(pid) < before + 48_000_000);
    const next = new Recorder();
    expect(await machine.run(engine, "SELECT count(*) FROM big", [big], { context: next })).toBe("20000\n");
    expect(await processOf(machine, next)).toBe(pid);
    expect(processesOf(machine)).toEqual([pid]);
  });

  test("select: many at once wait for processes, and the ones before give theirs back", async () => {
    await using machine = new Machine();
    const engine = await machine.start();
    const results = Array.from({ length: 12 }, (_, n) => machine.run(engine, `SELECT ${n}`, []));
    expect(await Promise.all(results)).toEqual(results.map((_, n) => `${n}\n`));
    await until(() => startsOf(machine).length === results.length);
    const pids = new Set(startsOf(machine).map(({ pid }) => pid));
    expect(pids.size).toBeLessThan(results.length);
  });

  test("start: rejects with the reason when the engine cannot start", async () => {
    await using machine = new Machine();
    await expect(machine.start({ threads: 0 })).rejects.toThrow(/^the query's process failed: /);
  });

  test("log: has start, settings and each job with its duration; with debug also the SQL and the plan", async () => {
    await using machine = new Machine();
    const quiet = await machine.start();
    const verbose = await machine.start({ debug: true });
    await machine.run(quiet, "SELECT 'some data'", []);
    await machine.run(verbose, "SELECT 'some data'", []);
    await expect(machine.run(quiet, "SELECT nothing", [])).rejects.toThrow("nothing");
    await Promise.all([quiet.close(), verbose.close()]);
    const records = (cluster: string) =>
      engineLog(machine, cluster)
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const [first, ...rest] = records("c1");
    expect(first).toMatchObject({ msg: "engine started", memoryBytes: 1_000_000_000, threads: 2, cluster: "c1" });
    expect(rest.map(({ msg, operation }) => [msg, operation])).toEqual([
      ["started", "select"],
      ["finished", "select"],
      ["started", "select"],
      ["failed", "select"],
      ["engine closed", undefined],
    ]);
    expect(rest[1]).toMatchObject({ queryId: expect.any(Number), milliseconds: expect.any(Number) });
    expect(engineLog(machine, "c1")).not.toContain("some data");
    const debug = records("c2").find(({ msg }) => msg === "translated statement");
    expect(debug).toMatchObject({ sql: expect.stringContaining("some data"), plan: expect.anything() });
  });
});
