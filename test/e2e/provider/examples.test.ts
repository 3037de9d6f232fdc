import { execFile, execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { LocalWorkspace, PulumiCommand, type Stack } from "@pulumi/pulumi/automation";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { writeEventLog } from "../../../tools/quickstart/event-log.mts";
import { clientOf, pulumiEnvironment, pulumiRoot, queriesOf, root, startService } from "./harness";

const execute = promisify(execFile);

/** Runs the examples as they are, with the CLI and its language host, on the package as it is packed. */
const directory = mkdtempSync(join(tmpdir(), "dag-examples-"));
let service: TestService;
let pulumiCommand: PulumiCommand;

beforeAll(async () => {
  installPackedPackage();
  pulumiCommand = await PulumiCommand.get({ root: pulumiRoot(), skipVersionCheck: true });
  service = await startService({
    buckets: ["nightly", "environment", "existing", "layers", "pipeline", "quickstart", "component", "daily"],
  });
});

afterAll(async () => {
  await service?.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
});

/** Links the packages that `npm install pulumi-dag-<v>.tgz` would install. */
function installPackedPackage(): void {
  const modules = join(directory, "node_modules");
  mkdirSync(modules);
  mkdirSync(join(directory, "state"));
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (!/^\.|^(pulumi-dag|dag-.*)$/.test(name)) symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", directory], {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ filename }] = JSON.parse(packed.toString()) as [{ filename: string }];
  execFileSync("tar", ["-xzf", join(directory, filename), "-C", directory]);
  cpSync(join(directory, "package"), join(modules, "pulumi-dag"), { recursive: true });
  symlinkSync(join(root, "service"), join(modules, "dag-service"));
}

async function deploy(name: string, stackName: string, config: Readonly<Record<string, string>> = {}): Promise<Stack> {
  const folder = join(directory, name);
  cpSync(join(root, "examples", name), folder, { recursive: true, filter: (path) => !path.includes("node_modules") });
  const stack = await LocalWorkspace.createStack(
    { stackName, workDir: folder },
    {
      pulumiCommand,
      envVars: {
        ...pulumiEnvironment(directory),
        DAG_ACCESS_KEY_ID: service.credentials.accessKeyId,
        DAG_SECRET_ACCESS_KEY: service.credentials.secretAccessKey,
        // Takes three seconds each time, and `npm run check` has checked the types of all examples.
        ...(name !== "first-program" && { PULUMI_NODEJS_TRANSPILE_ONLY: "true" }),
      },
    },
  );
  const all = { "dag:endpoint": service.url, "dag:pollInterval": "250", ...config };
  await stack.setAllConfig(Object.fromEntries(Object.entries(all).map(([key, value]) => [key, { value }])));
  return stack;
}

function putData(name: string, folder: string): void {
  cpSync(join(root, "examples", name, "data"), join(service.bucketsDirectory, folder), { recursive: true });
}

describe("examples", () => {
  test("first-program: the README's program runs on the quickstart's data, as it is shown", async () => {
    const log = join(service.bucketsDirectory, "quickstart/raw/events.csv");
    mkdirSync(dirname(log), { recursive: true });
    await writeEventLog(log, 20_000);
    const stack = await deploy("first-program", "dev", { "dag:storage": `file:${service.bucketsDirectory}` });
    const { summary, outputs } = await stack.up();
    expect(summary.resourceChanges).toEqual({ create: 3 });
    expect(outputs["table"]?.value).toBe("quickstart.clicks");
    expect(outputs["rows"]?.value).toHaveLength(10);
    expect(outputs["rows"]?.value[0]).toEqual([
      expect.stringMatching(/^2026-01-\d\d$/),
      expect.any(String),
      expect.stringMatching(/^\d+$/),
    ]);
    await stack.destroy();
  });

  test("nightly-report: runs twenty queries on four slots, and all of them again on the next day", async () => {
    putData("nightly-report", "nightly/orders");
    const stack = await deploy("nightly-report", "dev", { date: "2030-01-01" });
    const first = await stack.up();
    expect(first.summary.resourceChanges).toEqual({ create: 21 });
    expect((await stack.up()).summary.resourceChanges).toEqual({ same: 21 });
    await stack.setConfig("date", { value: "2030-01-02" });
    expect((await stack.up()).summary.resourceChanges).toMatchObject({ replace: 20 });
    const labels = (await queriesOf(service)).map(({ label }) => label ?? "");
    expect(labels.filter((label) => label.startsWith("nightly "))).toHaveLength(40);
    await stack.destroy();
  });

  test("environment-setup: deploys the same program to two stacks", async () => {
    putData("environment-setup", "environment/raw");
    const stack = await deploy("environment-setup", "laptop");
    const { summary, outputs } = await stack.up();
    expect(summary.resourceChanges).toEqual({ create: 6 });
    expect(outputs["names"]!.value).toEqual(["environment.customers", "environment.orders"]);
    await using client = clientOf(service);
    expect(await client.getCluster({ clusterName: "demo" })).toMatchObject({ debug: true, status: "norm" });
    await stack.destroy();
  });

  test("adopt-existing: adopts a table and refers to a query, and runs neither again", async () => {
    putData("adopt-existing", "existing/raw");
    await using client = clientOf(service);
    const clusterName = "demo";
    const made = await client.submitSplit({
      clusterName,
      inputObjectKeys: ["dag://existing/raw/visits.csv"],
      outputDatabase: "existing",
      outputTable: "visits",
      schema: "string page, int seconds",
    });
    await client.waitForQuery({ clusterName, ...made });
    const query = "SELECT count(*) AS n FROM existing.visits";
    const ran = await client.submitSelect({ clusterName, query, outputResourcePath: "dag://existing/results/by-hand" });
    await client.waitForQuery({ clusterName, ...ran });
    const before = (await queriesOf(service)).length;

    const stack = await deploy("adopt-existing", "dev", { queryId: String(ran.queryId) });
    const { outputs } = await stack.up();
    expect(outputs["table"]!.value).toEqual({ name: "existing.visits", madeByQuery: made.queryId });
    expect(outputs["earlierStatement"]!.value).toBe(query);
    expect(await queriesOf(service)).toHaveLength(before + 1);
    await stack.destroy();
    expect(readdirSync(join(service.bucketsDirectory, "existing/visits"))).toEqual(["000000_0"]);
  });

  test("layers: a result in csv is read by a query whose result in tsv is read by another", async () => {
    putData("layers", "layers/raw");
    const stack = await deploy("layers", "dev", { "dag:storage": `file:${service.bucketsDirectory}` });
    const first = await stack.up();
    expect(first.summary.resourceChanges).toEqual({ create: 5 });
    expect(first.outputs["rows"]!.value).toEqual([
      ["Shelf, oak", '80 x 30, 5"', "4177.42", "4187.42"],
      ["Chair", '5", 6" or 7"', "108.00", "118.00"],
      ['Lamp "Luna"', '12", matt', "80.91", "90.91"],
    ]);
    expect((await stack.up()).summary.resourceChanges).toEqual({ same: 5 });
    await stack.destroy();
  });

  test("daily-loads: a new day runs one load, and a bad row stops it at the gate; all days are one table", async () => {
    putData("daily-loads", "daily/raw");
    const stack = await deploy("daily-loads", "dev", { "dag:storage": `file:${service.bucketsDirectory}` });
    const first = await stack.up();
    expect(first.summary.resourceChanges).toEqual({ create: 5 });
    await stack.setConfig("days", { value: "2026-01-01,2026-01-02,2026-01-03" });
    await expect(stack.up()).rejects.toThrow(/check-2026-01-03/);
    const partitions = () => readdirSync(join(service.bucketsDirectory, "daily/orders"));
    expect(partitions()).toEqual(["dt=2026-01-01", "dt=2026-01-02"]);

    const third = join(service.bucketsDirectory, "daily/raw/dt=2026-01-03/orders.csv");
    writeFileSync(third, "id,customer,amount\n5,grace,3.00\n");
    const last = await stack.up();
    expect(last.summary.resourceChanges).toMatchObject({ create: 1, same: 5 });
    await using client = clientOf(service);
    const query = "SELECT dt, count(*) AS orders, sum(amount) AS amount FROM daily.orders GROUP BY dt ORDER BY dt";
    const all = { clusterName: "demo", query, outputResourcePath: "dag://daily/report/" };
    const { queryId } = await client.submitSelect(all);
    expect(await client.waitForQuery({ queryId, clusterName: "demo" })).toMatchObject({ status: "finished" });
    const rows = readFileSync(join(service.bucketsDirectory, "daily/report/000000_0"), "utf8");
    expect(rows).toBe("2026-01-01,2,21.75\n2026-01-02,2,21.5\n2026-01-03,1,3.0\n");
    await stack.destroy();
    expect(partitions()).toEqual([]);
  });

  test("pipeline: a changed file runs only what hangs on it, also in another stack", async () => {
    putData("pipeline", "pipeline/raw");
    const stack = await deploy("pipeline", "dev", { "dag:storage": `file:${service.bucketsDirectory}` });
    const first = await stack.up();
    expect(first.summary.resourceChanges).toEqual({ create: 7 });
    expect(first.outputs["amountByMonth"]!.value).toEqual([
      ["2026-01", "67.40"],
      ["2026-02", "19.25"],
    ]);
    expect((await stack.up({ refresh: true })).summary.resourceChanges).toEqual({ same: 7 });
    const reader = await deploy("stack-reference", "dev", { "dag:storage": `file:${service.bucketsDirectory}` });
    const read = await reader.up();

    appendFileSync(join(service.bucketsDirectory, "pipeline/raw/orders/2026-02.csv"), "7,104,2026-02-20,99.00\n");
    const second = await stack.up({ refresh: true });
    expect(second.summary.resourceChanges).toEqual({ replace: 4, same: 3 });
    expect(second.stdout).toContain("dag://pipeline/raw/orders/2026-02.csv (changed)");
    expect(second.stdout).toContain("cluster demo: 4 ran, 0 adopted, 2 kept");
    const [before, after] = [first, second].map(({ outputs }) => outputs["queryIds"]!.value as number[]);
    expect(after!.map((id, index) => id !== before![index])).toEqual([true, false, true, true, true, false]);
    expect(second.outputs["amountByMonth"]!.value).toEqual([
      ["2026-01", "67.40"],
      ["2026-02", "118.25"],
    ]);
    // The other stack has followed nothing yet; its next `up` does.
    const readAgain = await reader.up();
    expect(readAgain.summary.resourceChanges).toMatchObject({ replace: 1 });
    expect(read.outputs["rows"]!.value).not.toEqual(readAgain.outputs["rows"]!.value);
    expect(readAgain.outputs["rows"]!.value).toContainEqual(["104", "2026-02-20"]);
    await reader.destroy();
    await stack.destroy();
  });

  test("tested-program: its tests pass, on mocks and on a real service", async () => {
    const folder = join(directory, "tested-program");
    cpSync(join(root, "examples/tested-program"), folder, { recursive: true });
    const env = { ...process.env, ...pulumiEnvironment(directory), PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK: "true" };
    const vitest = join(directory, "node_modules/vitest/vitest.mjs");
    const { stdout } = await execute(process.execPath, [vitest, "run", "--root", folder], { cwd: folder, env });
    expect(stdout).toMatch(/Tests .*2 passed/);
  });

  test("Automation API: two inline programs of a package deploy from any folder, and each has its own project", async () => {
    const folder = join(directory, "inline");
    mkdirSync(folder);
    const program = `const { LocalWorkspace, PulumiCommand } = require("@pulumi/pulumi/automation");
      const dag = require("pulumi-dag");
      (async () => {
        const pulumiCommand = await PulumiCommand.get({ root: process.argv[2], skipVersionCheck: true });
        for (const projectName of ["orders", "visits", "orders"]) {
          const outputResourcePath = "dag://existing/results/" + projectName + "/";
          const inputs = { clusterName: "demo", query: "SELECT 1 AS n", outputResourcePath };
          const program = async () => void new dag.SelectQuery("one", inputs);
          const stack = await LocalWorkspace.createOrSelectStack(
            { stackName: "dev", projectName, program },
            { pulumiCommand, projectSettings: { name: projectName, runtime: "nodejs", main: __dirname } },
          );
          const { summary } = await stack.up();
          console.log(projectName, JSON.stringify(summary.resourceChanges));
        }
      })();`;
    writeFileSync(join(folder, "run.js"), program);
    const env = {
      ...process.env,
      ...pulumiEnvironment(directory),
      DAG_ENDPOINT: service.url,
      DAG_ACCESS_KEY_ID: service.credentials.accessKeyId,
      DAG_SECRET_ACCESS_KEY: service.credentials.secretAccessKey,
    };
    const { stdout } = await execute(process.execPath, [join(folder, "run.js"), pulumiRoot()], { cwd: "/", env });
    expect(stdout).toBe('orders {"create":2}\nvisits {"create":2}\norders {"same":2}\n');
    expect(readdirSync(folder)).toEqual(["run.js"]);
  });

  test("oldest SDK: a program on it deploys, looks up, refreshes and destroys", async () => {
    const workDir = join(directory, "oldest");
    mkdirSync(join(workDir, "node_modules/@pulumi"), { recursive: true });
    cpSync(join(directory, "package"), join(workDir, "node_modules/pulumi-dag"), { recursive: true });
    const oldest = join(root, "test/oldest/node_modules/@pulumi/pulumi");
    symlinkSync(oldest, join(workDir, "node_modules/@pulumi/pulumi"));
    const program = `const dag = require("pulumi-dag");
      const made = new dag.SelectQuery("made", { clusterName: "demo", query: "SELECT 1 AS n", outputResourcePath: "dag://existing/results/oldest/" });
      exports.version = require("@pulumi/pulumi/package.json").version;
      exports.made = made.queryId;
      exports.got = dag.SelectQuery.get("got", made.id).query;
      exports.status = dag.getCluster({ clusterName: "demo" }).status;`;
    writeFileSync(join(workDir, "Pulumi.yaml"), "name: oldest\nruntime: nodejs\nmain: index.js\n");
    writeFileSync(join(workDir, "package.json"), JSON.stringify({ name: "oldest", main: "index.js" }));
    writeFileSync(join(workDir, "index.js"), program);
    const stack = await LocalWorkspace.createStack(
      { stackName: "dev", workDir },
      {
        pulumiCommand,
        envVars: {
          ...pulumiEnvironment(directory),
          DAG_ENDPOINT: service.url,
          DAG_ACCESS_KEY_ID: service.credentials.accessKeyId,
          DAG_SECRET_ACCESS_KEY: service.credentials.secretAccessKey,
        },
      },
    );
    const { outputs } = await stack.up();
    const { version } = JSON.parse(readFileSync(join(oldest, "package.json"), "utf8")) as { readonly version: string };
    expect(outputs["version"]!.value).toBe(version);
    expect(outputs["got"]!.value).toBe("SELECT 1 AS n");
    expect(outputs["status"]!.value).toBe("norm");
    const again = await stack.up({ refresh: true });
    expect(again.outputs["made"]!.value).toBe(outputs["made"]!.value);
    await stack.destroy();
  });

  test("component: is used twice, runs nothing again, and leaves nothing behind", async () => {
    putData("component", "component/raw");
    const stack = await deploy("component", "dev", { "dag:storage": `file:${service.bucketsDirectory}` });
    const first = await stack.up();
    // The stack, two components of three resources each, and the query of both.
    expect(first.summary.resourceChanges).toEqual({ create: 10 });
    expect(first.outputs["birds"]!.value).toEqual({
      north: [
        ["owl", "5"],
        ["wren", "1"],
      ],
      south: [
        ["kite", "4"],
        ["owl", "1"],
      ],
      all: [
        ["kite", "4"],
        ["owl", "6"],
        ["wren", "1"],
      ],
    });
    expect((await stack.up({ refresh: true })).summary.resourceChanges).toEqual({ same: 10 });
    await stack.destroy();
    const left = readdirSync(join(service.bucketsDirectory, "component"), { recursive: true, withFileTypes: true });
    expect(
      left
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["north.csv", "south.csv"]);
  });

  test("loaders: compiled JavaScript, Node's type stripping, ts-node and tsx produce the same state", async () => {
    const folder = join(directory, "loaders");
    mkdirSync(folder);
    const source = `const dag = require("pulumi-dag");
      new dag.SelectQuery("one", { clusterName: "demo", query: "SELECT 1 AS n", outputResourcePath: "dag://existing/results/one/" });`;
    const native = `import * as dag from "pulumi-dag";
      new dag.SelectQuery("one", { clusterName: "demo" as string, query: "SELECT 1 AS n", outputResourcePath: "dag://existing/results/one/" });`;
    const programs: Readonly<Record<string, readonly [runtime: string, file: string, text: string]>> = {
      compiled: ["nodejs", "index.js", source],
      native: [
        "{ name: nodejs, options: { typescript: false, nodeargs: --experimental-strip-types } }",
        "index.mts",
        native,
      ],
      "ts-node": ["nodejs", "index.ts", native],
      tsx: ["{ name: nodejs, options: { typescript: false, nodeargs: --import tsx } }", "index.ts", native],
    };
    const codes = new Set<unknown>();
    for (const [name, [runtime, file, text]] of Object.entries(programs)) {
      const workDir = join(folder, name);
      mkdirSync(workDir);
      writeFileSync(join(workDir, "Pulumi.yaml"), `name: loaders\nruntime: ${runtime}\nmain: ${file}\n`);
      writeFileSync(join(workDir, "package.json"), JSON.stringify({ name: "loaders", main: file }));
      writeFileSync(join(workDir, file), text);
      const stack = await LocalWorkspace.createStack(
        { stackName: name, workDir },
        {
          pulumiCommand,
          envVars: {
            ...pulumiEnvironment(directory),
            DAG_ENDPOINT: service.url,
            DAG_ACCESS_KEY_ID: service.credentials.accessKeyId,
            DAG_SECRET_ACCESS_KEY: service.credentials.secretAccessKey,
          },
        },
      );
      await stack.up();
      const { resources } = (await stack.exportStack()).deployment as {
        readonly resources: readonly { readonly type: string; readonly inputs?: Readonly<Record<string, unknown>> }[];
      };
      codes.add(resources.find(({ type }) => type.endsWith("SelectQuery"))!.inputs!["__provider"]);
      await stack.destroy();
    }
    expect([...codes]).toEqual(["exports.handler=()=>require('pulumi-dag/dynamic/handlers')"]);
    expect(String([...codes][0]).length).toBeLessThan(300);
  });
});
