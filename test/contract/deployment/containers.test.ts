/**
 * docs/scale/compose.yaml and kubernetes.yaml: read by the modules of their programs, and their service's command started
 * as a process, with its config and environment, on a real PostgreSQL and a real S3 server.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { freePort } from "../../../tools/scale/component.mts";
import { findGo } from "../../../tools/setup/go.mjs";
import { s3Environment, useS3 } from "../s3/harness";
import { call, ended, pause, type Target } from "../service/caller";
import { missingPostgres, usePostgres } from "../state/use-postgres";
import { execute, programPath, replaced, useFolder } from "./programs";

const scale = join(__dirname, "../../../docs/scale");
const read = (name: string) => readFileSync(join(scale, name), "utf8");
const main = resolve(__dirname, "../../../service/dist/service/main.js");
const folder = useFolder();

/** The variables that compose.yaml asks for. */
const variables = {
  DAG_ACCESS_KEY_ID: "AK",
  DAG_SECRET_ACCESS_KEY: "SK",
  POSTGRES_PASSWORD: "secret",
  ...s3Environment,
};
const compose = () =>
  parse(
    Object.entries(variables).reduce(
      (text, [name, value]) => text.replaceAll(`\${${name}}`, value),
      read("compose.yaml"),
    ),
    { merge: true },
  );
const manifest = (kind: string) =>
  parseAllDocuments(read("kubernetes.yaml"))
    .map((document) => document.toJS())
    .find((object) => object.kind === kind);

const go = findGo();
if (go === undefined) console.log("skipped: the schemas are read by a Go program, and Go is not installed");

describe.skipIf(go === undefined)("the modules of docker compose and Kubernetes", () => {
  const program = join(folder.path, "schemas");
  const minutesToBuild = 10 * 60_000;
  beforeAll(async () => {
    await execute(go!, ["build", "-o", program, "."], {
      cwd: join(__dirname, "schemas"),
      env: { ...process.env, GOFLAGS: "-mod=readonly" },
    });
  }, minutesToBuild);
  const names = async (kind: string, file: string) =>
    (await execute(program, [kind, file], { env: { ...process.env, ...variables } })).stdout.trim().split("\n");
  /** Writes a file with a mistake. */
  const broken = (name: string, from: string, to: string) => {
    const file = join(folder.path, name);
    writeFileSync(file, read(name).replace(from, to));
    return file;
  };

  test("compose.yaml: has only what its schema has", async () => {
    expect((await names("compose", join(scale, "compose.yaml"))).toSorted()).toEqual(
      Object.keys(compose().services).toSorted(),
    );
    const mistaken = broken("compose.yaml", "healthcheck:", "healthchecks:");
    await expect(names("compose", mistaken)).rejects.toMatchObject({ stdout: expect.stringContaining("healthchecks") });
  });

  test("kubernetes.yaml: has only what its objects have", async () => {
    const kinds = ["ConfigMap", "Secret", "StatefulSet", "Service"];
    expect(await names("kubernetes", join(scale, "kubernetes.yaml"))).toEqual(kinds);
    const mistaken = broken("kubernetes.yaml", "envFrom:", "envsFrom:");
    await expect(names("kubernetes", mistaken)).rejects.toMatchObject({ stdout: expect.stringContaining("envsFrom") });
  });
});

const haproxy = programPath("haproxy", "haproxy");
test.skipIf(haproxy === undefined)("compose.yaml: haproxy takes the balancer's config", async () => {
  const file = join(folder.path, "haproxy.cfg");
  // The names of the containers are known only in their network.
  const config = replaced(compose().configs.balancer.content, { " dag-1:": " 127.0.0.1:", " dag-2:": " 127.0.0.1:" });
  writeFileSync(file, config);
  const { stdout, stderr } = await execute(haproxy!, ["-c", "-f", file]);
  expect(stdout + stderr).not.toMatch(/alert|warning/i);
});

describe.skipIf(missingPostgres !== undefined)("the command of the service", () => {
  const postgres = usePostgres();
  const s3 = useS3();

  /** Starts a container's process. Its hosts are on this machine, and its Spark is not there. */
  async function start(name: string, config: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Target> {
    const file = join(folder.path, `${name}.yaml`);
    const [, storage = ""] = /^storage: (.*)$/m.exec(config) ?? [];
    const port = await freePort();
    const local = replaced(config, {
      "data: /data": `data: ${join(folder.path, name)}`,
      "0.0.0.0:9393": `127.0.0.1:${port}`,
      [storage]: s3.specification,
    });
    writeFileSync(file, local);
    expect(args).toEqual(["--config", "/etc/dag/dag.yaml"]);
    const service = folder.start(process.execPath, [main, ...args.map((arg) => arg.replace(/^\/etc.*/, file))], env);
    while (!service.output().includes('"msg":"listening"')) await pause(20);
    const [{ accessKeyId, secretAccessKey }] = parse(env["DAG_SERVICE_CREDENTIALS"]!);
    return { url: `http://127.0.0.1:${port}`, credentials: { accessKeyId, secretAccessKey } };
  }

  /** A query that one process takes, and the result that another one knows of. */
  async function expectOneService([first, second]: readonly Target[]): Promise<void> {
    await s3.put({ "dag://data/t/a.csv": "1\n2\n" });
    await s3.makeBuckets("out");
    const body = {
      clusterName: "small",
      query: "select count(*) n from data.t",
      outputResourcePath: "dag://out/r/",
    };
    const { json } = await call(first!, "POST", "/v1/?select", { body });
    expect(json).toMatchObject({ queryId: expect.any(Number) });
    expect(await ended(second!, json.queryId)).toMatchObject({ status: "finished" });
    expect(await s3.content("dag://out/r/")).toBe("2\n");
  }

  test("compose.yaml: the two processes are one service", async () => {
    const { services, configs } = compose();
    const { command, environment } = services["dag-1"];
    expect(services["dag-2"]).toEqual({ ...services["dag-1"], hostname: "dag-2" });
    expect(environment.DAG_SERVICE_STATE).toBe("postgres://dag:secret@postgres:5432/dag");
    const env = { ...environment, DAG_SERVICE_STATE: postgres.url };
    const one = (name: string) => start(name, configs.dag.content, command.split(" "), env);
    await expectOneService([await one("dag-1"), await one("dag-2")]);
  });

  test("kubernetes.yaml: the pods are one service", async () => {
    const [container] = manifest("StatefulSet").spec.template.spec.containers;
    expect(container.command).toBeUndefined();
    const secrets = manifest("Secret").stringData;
    const env = { ...secrets, ...s3Environment, DAG_SERVICE_STATE: postgres.url };
    const one = (name: string) => start(name, manifest("ConfigMap").data["dag.yaml"], container.args, env);
    await expectOneService([await one("dag-0"), await one("dag-1-of-pods")]);
  });
});
