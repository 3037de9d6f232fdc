/** The OCI image: what it is made of, other programs that read it, and the service in its root file system. */
import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { whyNoDebian } from "../../../tools/image/debian.mjs";
import { writeImage } from "../../../tools/image/image.mjs";
import { call, ended, pause, type Target } from "../service/caller";
import { kill } from "../service/service-process";
import { execute, programPath, useFolder } from "./programs";

const missing = whyNoDebian() ?? (process.getuid?.() === 0 ? undefined : "only root starts the image's files");
if (missing !== undefined) console.log(`skipped: ${missing}`);

const folder = useFolder();
const file = join(folder.path, "image.oci.tar");
const layout = join(folder.path, "layout");
const rootFolder = join(folder.path, "root");

/** The image has 260 MB in thousands of files. */
const minutesToMake = 10 * 60_000;

/** Reads a blob, whose digest must be its own. */
function blob({ digest, size }: { digest: string; size: number }): Buffer {
  const content = readFileSync(join(layout, "blobs", digest.replace(":", "/")));
  expect([`sha256:${createHash("sha256").update(content).digest("hex")}`, content.length]).toEqual([digest, size]);
  return content;
}
const json = (text: Buffer) => JSON.parse(text.toString());
const index = () => json(readFileSync(join(layout, "index.json")));
const manifest = () => json(blob(index().manifests[0]));
const config = () => json(blob(manifest().config));

describe.skipIf(missing !== undefined)("the image", () => {
  beforeAll(async () => {
    for (const each of [layout, rootFolder]) mkdirSync(each);
    await writeImage(file, { tag: "registry.example.com/dag-service:test", created: "2026-01-01T00:00:00Z" });
    await execute("tar", ["-xf", file, "-C", layout]);
    for (const { digest } of manifest().layers) {
      await execute("tar", ["-xzpf", join(layout, "blobs", digest.replace(":", "/")), "-C", rootFolder]);
    }
  }, minutesToMake);

  test("writeImage: every digest and size is right, and the config says how the service runs", () => {
    expect(json(readFileSync(join(layout, "oci-layout")))).toEqual({ imageLayoutVersion: "1.0.0" });
    expect(index()).toMatchObject({
      schemaVersion: 2,
      manifests: [{ annotations: { "io.containerd.image.name": "registry.example.com/dag-service:test" } }],
    });
    const { rootfs, config: run, history } = config();
    expect(run).toMatchObject({
      User: "65532:65532",
      WorkingDir: "/data",
      ExposedPorts: { "9393/tcp": {} },
      Volumes: { "/data": {} },
    });
    const diffIds = manifest().layers.map((layer: { digest: string; size: number }) => {
      const plain = gunzipSync(blob(layer));
      return `sha256:${createHash("sha256").update(plain).digest("hex")}`;
    });
    expect(rootfs).toEqual({ type: "layers", diff_ids: diffIds });
    expect(history).toHaveLength(diffIds.length);
    const [forDocker] = json(readFileSync(join(layout, "manifest.json")));
    expect(json(readFileSync(join(layout, forDocker.Config)))).toEqual(config());
    expect(parse(readFileSync(join(rootFolder, "etc/dag/dag.yaml"), "utf8"))).toEqual({
      listen: "0.0.0.0:9393",
      data: "/data",
    });
  });

  const skopeo = programPath("skopeo", "skopeo");
  test.skipIf(skopeo === undefined)("skopeo: copies it, and reads it as an image of docker, too", async () => {
    const copy = join(folder.path, "copy");
    await execute(skopeo!, ["--insecure-policy", "copy", `oci-archive:${file}:test`, `dir:${copy}`]);
    const { stdout } = await execute(skopeo!, ["inspect", "--config", `docker-archive:${file}`]);
    expect(JSON.parse(stdout).config).toEqual(config().config);
  });

  const umoci = programPath("umoci", "umoci");
  test.skipIf(umoci === undefined)("umoci: unpacks it to the same files", async () => {
    const other = join(folder.path, "other");
    await execute(umoci!, ["raw", "unpack", "--image", `${layout}:test`, other]);
    const { stdout } = await execute("diff", ["--recursive", "--no-dereference", "--brief", rootFolder, other]);
    expect(stdout).toBe("");
  });

  describe("its root file system", () => {
    let service: Target & { readonly output: () => string; readonly exit: Promise<number | null> };
    let process: ChildProcess;

    beforeAll(async () => {
      const bucket = join(rootFolder, "data/buckets/data/events");
      mkdirSync(bucket, { recursive: true });
      writeFileSync(join(bucket, "a.csv"), "1,x\n2,y\n3,x\n");
      mkdirSync(join(rootFolder, "data/buckets/out"));
      await execute("chown", ["-R", "65532:65532", join(rootFolder, "data")]);
      const tables = '[{database: data, table: events, schema: "bigint id, string v"}]';
      process = contained([...config().config.Entrypoint, "--listen", "0.0.0.0:0", "--tables", tables]);
      let output = "";
      process.stdout!.on("data", (chunk) => (output += chunk));
      process.stderr!.on("data", (chunk) => (output += chunk));
      const exit = new Promise<number | null>((resolve) => process.on("exit", (code) => resolve(code)));
      while (!/"url":"http:\/\/0\.0\.0\.0:\d+"/.test(output)) {
        if (process.exitCode !== null) throw new Error(`it has ended: ${output}`);
        await pause(20);
      }
      const [, port] = /"url":"http:\/\/0\.0\.0\.0:(\d+)"/.exec(output)!;
      const credentials = JSON.parse(readFileSync(join(rootFolder, "data/credentials.json"), "utf8"));
      service = { url: `http://127.0.0.1:${port}`, credentials, output: () => output, exit };
    });
    afterAll(() => kill(process, "SIGKILL"));

    test("healthcheck: the command of compose.yaml succeeds while the service answers, and only then", async () => {
      const { services } = parse(readFileSync(join(__dirname, "../../../docs/scale/compose.yaml"), "utf8"), {
        merge: true,
      });
      const [kind, program, ...args] = services["dag-1"].healthcheck.test as string[];
      expect([kind, program]).toEqual(["CMD", "node"]);
      const codeOn = (port: string) =>
        new Promise((resolve) =>
          contained(["/usr/local/bin/node", ...args.map((arg) => arg.replace(":9393", `:${port}`))]).on(
            "exit",
            resolve,
          ),
        );
      expect(await codeOn(new URL(service.url).port)).toBe(0);
      expect(await codeOn("1")).toBe(1);
    });

    test("submitSelect: a signed request is accepted, and the result is an object of /data", async () => {
      const body = {
        clusterName: "demo",
        query: "select v, count(*) n from data.events group by v order by v",
        outputResourcePath: "dag://out/r/",
      };
      const { json: submitted } = await call(service, "POST", "/v1/?select", { body });
      expect(await ended(service, submitted.queryId)).toMatchObject({ status: "finished" });
      const [result = ""] = readdirSync(join(rootFolder, "data/buckets/out/r"));
      expect(readFileSync(join(rootFolder, "data/buckets/out/r", result), "utf8")).toBe("x,2\ny,1\n");
    });

    test("SIGTERM: the first process of the container ends by itself, with exit code 0", async () => {
      const { pid } = process;
      const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
      expect(readFileSync(`/proc/${first}/status`, "utf8")).toMatch(/^Uid:\s+65532\s/m);
      globalThis.process.kill(Number(first), "SIGTERM");
      expect([await service.exit, service.output()]).toEqual([0, expect.stringContaining('"msg":"stopping"')]);
    });
  });
});

/** Starts a program as a container does: with the image's files, user and environment. Its network is this machine's. */
function contained(args: readonly string[]): ChildProcess {
  const { User, Env, WorkingDir } = config().config;
  const env = Object.fromEntries((Env as string[]).map((each) => each.split(/=(.*)/s)));
  const script = [
    '/bin/mount -t proc proc "$0/proc"',
    '/bin/mount --rbind /dev "$0/dev"',
    'exec /usr/sbin/chroot --userspec="$@"',
  ].join(" && ");
  const isolated = ["--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", script, rootFolder];
  expect(WorkingDir).toBe(env["HOME"]);
  return spawn("/usr/bin/unshare", [...isolated, User, rootFolder, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}
