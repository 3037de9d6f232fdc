import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { call, pause } from "../service/caller";
import { slow, useService } from "../service/fixture";
import { commandFor, main } from "./command";

const fixture = useService();
const start = commandFor(fixture);
const run = (...parameters: Parameters<typeof start>) => start(...parameters).ended;

const statement = "select v, count(*) n, cast(null as string) nothing from data.events group by v order by v";

test("sql: prints the rows as a table", async () => {
  expect(await run(["sql", statement])).toEqual({
    code: 0,
    stderr: "",
    stdout: ["v  n  nothing", "─  ─  ───────", "x  2     NULL", "y  1     NULL", "(2 rows)", ""].join("\n"),
  });
});

test("sql: --csv has a header and quotes, NULL is empty and an empty text is quoted", async () => {
  const query = "select 'a,\"b\"' c, '' e, cast(null as string) n from data.events limit 1";
  const { stdout } = await run(["sql", "--csv", query]);
  expect(stdout).toBe('c,e,n\n"a,""b""","",\n');
});

test("sql: --json prints one object a row, and reads the statement from standard input", async () => {
  const { stdout, code } = await run(["sql", "--json", "-"], {}, statement);
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { v: "x", n: 2, nothing: null },
    { v: "y", n: 1, nothing: null },
  ]);
});

test("sql: --json has a value of each type as JSON has it, with all its digits", async () => {
  const query =
    "select 9223372036854775807 big, cast('1.50' as decimal(20,2)) d, 1 = 1 yes, 1.5e300 x, cast('NaN' as double) nan, '01' t, array(1, 2) a, date '2026-01-02' day";
  const { stdout } = await run(["sql", "--json", query]);
  expect(stdout).toBe(
    '{"big":9223372036854775807,"d":1.50,"yes":true,"x":1.5E300,"nan":"NaN","t":"01","a":[1,2],"day":"2026-01-02"}\n',
  );
});

test.each([
  ["tsv", "v\tn\tnothing\nx\t2\t\\N\ny\t1\t\\N\n"],
  ["json", '[\n  {"v":"x","n":2,"nothing":null},\n  {"v":"y","n":1,"nothing":null}\n]\n'],
  ["jsonl", '{"v":"x","n":2,"nothing":null}\n{"v":"y","n":1,"nothing":null}\n'],
  ["markdown", "| v | n | nothing |\n| --- | --- | --- |\n| x | 2 | NULL |\n| y | 1 | NULL |\n"],
])("sql: --format %s", async (format, expected) => {
  expect((await run(["sql", "--format", format, statement])).stdout).toBe(expected);
});

test("sql: a row of 700 columns is printed whole, with the name and type of each", async () => {
  const columns = Array.from({ length: 700 }, (_, index) => `c${index}`);
  const query = `select ${columns.map((name, index) => `${index} as ${name}`).join(", ")}`;
  const csv = await run(["sql", "--csv", query]);
  expect(csv.stdout).toBe(`${columns.join(",")}\n${columns.map((_, index) => index).join(",")}\n`);
  const json = await run(["sql", "--json", query]);
  expect(JSON.parse(json.stdout)).toEqual(Object.fromEntries(columns.map((name, index) => [name, index])));
});

test("sql: SHOW and DESCRIBE are answered from the catalog", async () => {
  expect((await run(["sql", "--csv", "SHOW DATABASES;"])).stdout.split("\n")).toContain("data");
  expect((await run(["sql", "--csv", "show tables in data"])).stdout).toContain("\nevents,");
  const { stdout } = await run(["sql", "--csv", "DESCRIBE data.events"]);
  expect(stdout).toMatch(/^col_name,data_type,comment\nid,\w+,[^\n]*\nv,string,/);
  const folder = join(fixture.service.bucketsDirectory, "default/found");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "a.csv"), "id,v\n1,2\n");
  const { stdout: inferred } = await run(["sql", "--csv", "DESCRIBE found"]);
  expect(inferred).toContain('\nv,bigint,"inferred from the first rows, a query reads all"\n');
  const missing = await run(["sql", "describe data.nothing"]);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("data.nothing")]);
  expect(await run(["sql", "--csv", "DESCRIBE Data.`Events`"])).toMatchObject({ code: 0, stdout });
});

test("sql: a second statement on standard input is refused with what to do", async () => {
  const refused = await run(["sql", "-"], {}, "select 1 as n;\nselect 2 as n;\n");
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toContain(
    "2:1 second statement: is not allowed: a query is one SELECT statement, so submit each statement separately",
  );
});

test("sql: ends in silence when its reader has enough", async () => {
  const { child, ended } = start([
    "sql",
    "--csv",
    "select a.n from data.numbers a cross join data.numbers b limit 300000",
  ]);
  child.stdout.once("data", () => child.stdout.destroy());
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([0, ""]);
});

test("sql: control characters of rows do not reach the terminal, and all of them reach --json", async () => {
  const query = "select '\\u001b[2J' x, 'a\\tb' t from data.events limit 1";
  const table = await run(["sql", query]);
  expect(table.stdout).not.toContain("\u001b");
  const { stdout } = await run(["sql", "--json", query]);
  expect(JSON.parse(stdout)).toEqual({ x: "\u001b[2J", t: "a\tb" });
});

const evil = "\u001b]0;x\u0007\u009b2j\u202e";
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/; // oxlint-disable-line no-control-regex

test.each([
  ["the name of a column", ["sql", `select 1 \`${evil}\``], /\\u001b\]0;x\\u0007\\u009b2j\\u202e/],
  ["a statement that is refused", ["sql", `selec ${evil}`], /\\u001b/],
  [
    "a statement that fails",
    ["sql", `select assert_true(concat('${evil}', id) = '') from data.events`],
    /ended as error/,
  ],
  ["a name that does not exist", ["sql", `select 1 from data.\`${evil}\``], /\\u001b/],
  ["a cluster that does not exist", ["sql", "--cluster", evil, "select 1"], /\\u001b/],
  ["an endpoint", ["open", "--endpoint", evil], /\\u001b/],
  ["an option", ["sql", `--${evil}`, "select 1"], /\\u001b/],
  ["an argument", [evil], /\\u001b/],
  ["a config file", ["--config", evil], /\\u001b/],
  ["a table of the config", ["--tables", `[{database: "${escapedYaml(evil)}", table: t}]`], /^dag-service: /],
  ["a state", ["migrate", "--from", evil, "--to", evil], /^dag-service: /],
])("terminal: control characters in %s are shown, not sent", async (_, args, shown) => {
  const { stdout, stderr } = await run(args);
  expect(stdout + stderr).toMatch(shown);
  expect(stdout + stderr).not.toMatch(controls);
});

test("sql: --format markdown shows control characters of names and cells also where it is piped", async () => {
  const query = `select '\u001b[2J\u202e|\na\tb' \`${evil}\``;
  const { stdout } = await run(["sql", "--format", "markdown", query]);
  expect(stdout).toContain("\n| --- |\n| \\u001b[2J\\u202e\\|<br>a\tb |\n");
  expect(stdout).not.toMatch(controls);
});

test("terminal: --json of control characters is exact, and has none", async () => {
  const { stdout } = await run(["sql", "--json", `select '\u009b2j\u202e' \`${evil}\``]);
  expect(stdout.trimEnd()).not.toMatch(controls);
  expect(JSON.parse(stdout)).toEqual({ [evil]: "\u009b2j\u202e" });
});

function escapedYaml(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

test("sql: all rows of a large result are printed", async () => {
  const { stdout } = await run(["sql", "--csv", "select n from data.numbers order by n"]);
  const lines = stdout.trimEnd().split("\n");
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([20_001, "n", "19999"]);
});

test.each([
  ["a statement that is refused", ["sql", "selec 1"], 1, /InvalidDMLStatement: .*1:1/],
  ["a query that fails", ["sql", "select assert_true(id < 2) from data.events"], 1, /ended as error:[^]*ASSERT_TRUE/i],
  ["a cluster that does not exist", ["sql", "--cluster", "none", "select 1"], 1, /ClusterNotFound/],
  ["two formats", ["sql", "--csv", "--json", "select 1"], 2, /exclude each other/],
  ["no statement", ["sql"], 2, /there is no statement/],
  ["an unknown format", ["sql", "--format", "xml", "select 1"], 2, /Allowed choices are table, csv/],
  ["a service that is not there", ["sql", "--endpoint", "http://127.0.0.1:1", "select 1"], 2, /no service answers/],
  ["an endpoint that is no URL", ["open", "--endpoint", "nowhere"], 2, /is not a URL/],
])("exit code: %s", async (_, args, code, message) => {
  const result = await run(args);
  expect(result.code).toBe(code);
  expect(result.stderr).toMatch(message);
  expect(result.stderr).not.toContain("    at ");
  expect(result.stdout).toBe("");
});

test("exit code: wrong keys", async () => {
  const { code, stderr } = await run(["sql", "select 1"], { DAG_SECRET_ACCESS_KEY: "wrong" });
  expect([code, stderr]).toEqual([2, expect.stringContaining("SignatureDoesNotMatch")]);
});

test("sql: Ctrl-C cancels the query", async () => {
  const { child, ended } = start(["sql", slow]);
  let id: number | undefined;
  while (id === undefined) {
    const { json } = await call(fixture.service, "GET", "/v1/?query&status=running");
    id = json.queries[0]?.id;
    await pause(50);
  }
  child.kill("SIGINT");
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([130, `dag-service: query ${id} was cancelled\n`]);
  expect((await call(fixture.service, "GET", `/v1/${id}?query`)).json.status).toBe("canceled");
});

/** util-linux's `script` runs a command in a terminal of its own. */
const hasTerminal = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

test.skipIf(!hasTerminal)("sql: a terminal shows the progress, and Ctrl-C there cancels the query", async () => {
  const { accessKeyId, secretAccessKey } = fixture.service.credentials;
  const keys = { DAG_ACCESS_KEY_ID: accessKeyId, DAG_SECRET_ACCESS_KEY: secretAccessKey };
  const env = { PATH: process.env["PATH"], DAG_ENDPOINT: fixture.service.url, ...keys };
  const command = `"${process.execPath}" "${main}" sql "${slow}"`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], { env });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  await expect.poll(() => output, { timeout: 60_000 }).toMatch(/query \d+: \d+%/);
  child.stdin.write("\u0003");
  const [code] = await once(child, "close");
  expect(code).toBe(130);
  expect(output).toMatch(/query \d+ was cancelled/);
});

test.skipIf(!hasTerminal)("sql: --csv shows control characters on a terminal, and sends them to a file", async () => {
  const { accessKeyId, secretAccessKey } = fixture.service.credentials;
  const keys = { DAG_ACCESS_KEY_ID: accessKeyId, DAG_SECRET_ACCESS_KEY: secretAccessKey };
  const env = { PATH: process.env["PATH"], DAG_ENDPOINT: fixture.service.url, ...keys };
  const command = `"${process.execPath}" "${main}" sql --csv "select 'a\\\\u0007b' x" 2> /dev/null`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], { env });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  await once(child, "close");
  expect(output).toBe("x\r\na\\u0007b\r\n");
  expect((await run(["sql", "--csv", "select 'a\\u0007b' x"])).stdout).toBe("x\na\u0007b\n");
});

test.skipIf(!hasTerminal).each([
  [{}, true],
  [{ NO_COLOR: "1" }, false],
])("sql: on a terminal with the variables %j, the head of the table is bold: %s", async (variables, isBold) => {
  const { accessKeyId, secretAccessKey } = fixture.service.credentials;
  const keys = { DAG_ACCESS_KEY_ID: accessKeyId, DAG_SECRET_ACCESS_KEY: secretAccessKey };
  const env = { PATH: process.env["PATH"], TERM: "xterm", DAG_ENDPOINT: fixture.service.url, ...keys, ...variables };
  const command = `"${process.execPath}" "${main}" sql "select 1 as n" 2> /dev/null`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], { env });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  await once(child, "close");
  expect(output).toContain("n");
  expect(output.includes("\u001b[1m")).toBe(isBold);
});

test("sql: starts a service on the data folder when none runs, and stops it", async () => {
  const data = mkdtempSync(join(tmpdir(), "dag-sql-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  mkdirSync(join(data, "buckets/data/birds"), { recursive: true });
  writeFileSync(join(data, "buckets/data/birds/a.csv"), "owl,3\nrobin,4\n");
  const noService = { DAG_ENDPOINT: "", DAG_ACCESS_KEY_ID: "", DAG_SECRET_ACCESS_KEY: "" };
  const { stdout, code } = await run(
    ["sql", "--csv", "--data", data, "select sum(`_c1`) n from data.birds"],
    noService,
  );
  expect([code, stdout]).toEqual([0, "n\n7\n"]);
  // Nothing of it is readable by others. The test has made the folders of buckets.
  const written = readdirSync(data, { recursive: true }).map(String);
  const open = written.filter((path) => statSync(join(data, path)).mode & 0o077);
  expect(open.toSorted()).toEqual(["buckets", "buckets/data", "buckets/data/birds", "buckets/data/birds/a.csv"]);
  expect(written).toContain("state.sqlite");
});

test("sql: a data folder that another service uses is refused, and says to use that service", async () => {
  const data = dirname(fixture.service.bucketsDirectory);
  const noService = { DAG_ENDPOINT: "", DAG_ACCESS_KEY_ID: "", DAG_SECRET_ACCESS_KEY: "" };
  const { stderr, code } = await run(["sql", "--data", data, "select 1"], noService);
  expect(code).toBe(2);
  expect(stderr).toMatch(/is in use by a dag-service, .*: name the address of that service with --endpoint/);
});

test("open: --print prints a link that signs in once", async () => {
  const { stdout, code } = await run(["open", "--print"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/#sign-in=[\w-]{32}\n$/);
  const token = stdout.trim().split("=")[1]!;
  const headers = { "x-dag-control": "1" };
  const redeem = () => fetch(`${fixture.service.url}/console/sign-in`, { method: "POST", headers, body: token });
  expect(await (await redeem()).json()).toEqual(fixture.service.credentials);
  expect((await redeem()).status).toBe(403);
});

test("open: starts the system's browser with the link that it prints", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dag-open-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const opened = join(folder, "opened");
  for (const name of ["xdg-open", "open"]) {
    // The name appears only when the whole content is there.
    const script = `#!/bin/sh\nprintf '%s\\n' "$@" > "${opened}.part"\nmv "${opened}.part" "${opened}"\n`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
  const { stdout, stderr, code } = await run(["open"], { PATH: `${folder}${delimiter}${process.env["PATH"]}` });
  expect([code, stderr]).toEqual([0, ""]);
  // The command does not wait for the browser.
  await expect.poll(() => existsSync(opened), { timeout: 20_000 }).toBe(true);
  expect(readFileSync(opened, "utf8")).toBe(stdout);
  const token = stdout.trim().split("#sign-in=")[1]!;
  const headers = { "x-dag-control": "1" };
  const redeemed = await fetch(`${fixture.service.url}/console/sign-in`, { method: "POST", headers, body: token });
  expect(await redeemed.json()).toEqual(fixture.service.credentials);
});

test("open: a machine without a browser has the printed link", async () => {
  const { stdout, stderr, code } = await run(["open"], { PATH: "" });
  expect(code).toBe(0);
  expect(stdout).toContain("/console/#sign-in=");
  expect(stderr).toBe("dag-service: no browser could be started: open the link above\n");
});

test("sql: the columns of SELECT * have the names of the table", async () => {
  expect((await run(["sql", "--csv", "select * from data.events limit 1"])).stdout).toBe("id,v\n1,x\n");
});

test.each([
  [{ DAG_ACCESS_KEY_ID: "A\u001b[31m" }, "DAG_ACCESS_KEY_ID is not valid"],
  [{ DAG_ACCESS_KEY_ID: "A:B" }, "DAG_ACCESS_KEY_ID is not valid"],
  [{ DAG_ENDPOINT: "http://user:hushhush@127.0.0.1:1/?x" }, "the endpoint has a user or password"],
  [{ DAG_ENDPOINT: "ftp://user:hushhush@127.0.0.1" }, "the endpoint has a user or password"],
  [{ DAG_ENDPOINT: "user:hushhush@127.0.0.1" }, "the endpoint has a user or password"],
  [{ DAG_ENDPOINT: "http://127.0.0.1:1/?x" }, "is not a URL of a service"],
])("exit code: 2 with the variables %j", async (variables, message) => {
  const { code, stderr } = await run(["sql", "select 1"], variables as Record<string, string>);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(stderr).not.toMatch(/hushhush|no service answers/);
});
