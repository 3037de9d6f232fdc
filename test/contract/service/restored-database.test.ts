/** The restore of a state in PostgreSQL, as docs/run/operations.md describes it. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { programPath } from "../deployment/programs";
import { missingPostgres, usePostgres } from "../state/use-postgres";
import { call, ended } from "./caller";
import { declared, kill, submitted, useServiceFolder } from "./service-process";

const page = readFileSync(join(__dirname, "../../../docs/run/operations.md"), "utf8");
const programs = {
  pg_dump: programPath("pg_dump", "postgresql-client"),
  pg_restore: programPath("pg_restore", "postgresql-client"),
  psql: programPath("psql", "postgresql-client"),
};
const hasPrograms = Object.values(programs).every((path) => path !== undefined);
const folder = useServiceFolder();

/** Runs a program of PostgreSQL on the test's database, with the options that the page has for it. */
async function runDocumented(program: keyof typeof programs, url: string, ...files: readonly string[]): Promise<void> {
  const line = new RegExp(`^sudo -u postgres ${program} (.*)$`, "m").exec(page)![1]!;
  const options = line.replace(/ [<>] .*$/, "").replace(/--dbname dag\b|\bdag$/, "");
  const words = [...options.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
  await promisify(execFile)(programs[program]!, [...words, "--dbname", url, ...files]);
}

describe.skipIf(missingPostgres !== undefined)("restored database", () => {
  const postgres = usePostgres();

  test.skipIf(!hasPrograms)("restore: after a pg_restore, no query ID is given again", async () => {
    const { url } = postgres;
    const env = { DAG_SERVICE_STATE: url };
    const restore = async (...args: string[]) => {
      const command = folder.run(["restore", ...args], env);
      return { code: await command.exit, stdout: command.stdout(), stderr: command.stderr() };
    };
    const dump = join(folder.path, "dag.dump");
    const first = await folder.start(["--tables", declared], env);
    folder.fill();
    const kept = await submitted(first, {});
    await ended(first, kept);
    await runDocumented("pg_dump", url, "--file", dump);
    const lost = await submitted(first, { outputResourcePath: "dag://out/lost" });
    await ended(first, lost);
    await kill(first.child, "SIGTERM");

    await runDocumented("psql", url);
    expect(await restore()).toMatchObject({ code: 2, stderr: expect.stringMatching(/pg_restore first/) });
    await runDocumented("pg_restore", url, dump);
    expect(await restore()).toEqual({
      code: 0,
      stdout: `query IDs up to ${lost + 1_000_000} are not given again: the service may start\n`,
      stderr: "",
    });
    expect(await restore("copy")).toMatchObject({ code: 2, stderr: expect.stringMatching(/without a folder/) });

    const second = await folder.start(["--tables", declared], env);
    expect((await call(second, "GET", `/v1/${kept}?query`)).json.status).toBe("finished");
    expect((await call(second, "GET", `/v1/${lost}?query`)).status).toBe(404);
    const next = await submitted(second, { outputResourcePath: "dag://out/next" });
    expect(next).toBe(lost + 1_000_001);
    expect(await ended(second, next)).toMatchObject({ status: "finished" });
  });

  test("restore: without a folder, a state in SQLite and a database that does not exist are one line each", async () => {
    const refused = async (env: NodeJS.ProcessEnv) => {
      const command = folder.run(["restore"], env);
      expect(await command.exit).toBe(2);
      expect(command.stderr().trim().split("\n")).toHaveLength(1);
      return command.stderr();
    };
    expect(await refused({})).toMatch(/is the file \S+state\.sqlite: name the folder of its backup/);
    expect(await refused({ DAG_SERVICE_STATE: `${postgres.url}x` })).toMatch(/does not exist: create it with createdb/);
  });
});
