/** The service behind nginx and Caddy with TLS, as docs/run describes it, and the real clients through them. */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join, resolve } from "node:path";
import type { TestService } from "dag-service/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../tools/scale/component.mts";
import { pause } from "../service/caller";
import { startWithData } from "../service/fixture";
import { deploymentFile, execute, programPath, replaced, useCertificate, useFolder, type Running } from "./programs";

const root = resolve(__dirname, "../../..");
const nginx = programPath("nginx", "nginx-light");
const caddy = programPath("caddy", "caddy");

let service: TestService;
beforeAll(async () => {
  service = await startWithData();
});
afterAll(() => service.close());

const folder = useFolder();
const tls = useCertificate(folder.path, "dag.example.com");

/** The certificate's name stands for 127.0.0.1 in a test, so that the configurations are those of the docs. */
const certificates = () => ({
  "/etc/ssl/dag/fullchain.pem": tls.certificate,
  "/etc/ssl/dag/privkey.pem": tls.key,
  "127.0.0.1:9393": new URL(service.url).host,
});

async function startNginx(port: number): Promise<Running> {
  const site = replaced(deploymentFile("nginx.conf"), { ...certificates(), "listen 443": `listen 127.0.0.1:${port}` });
  writeFileSync(join(folder.path, "dag.conf"), site);
  mkdirSync(join(folder.path, "temp"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path temp/${name};`,
  );
  writeFileSync(
    join(folder.path, "nginx.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""} pid nginx.pid; error_log stderr notice; daemon off;
     events {} http { access_log off; ${temporary.join(" ")} include dag.conf; }`,
  );
  return folder.start(nginx!, ["-p", folder.path, "-c", "nginx.conf"]);
}

async function startCaddy(port: number): Promise<Running> {
  const site = replaced(deploymentFile("Caddyfile"), {
    ...certificates(),
    "dag.example.com {": `dag.example.com:${port} {`,
  });
  const withoutOthers = "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n";
  writeFileSync(join(folder.path, "Caddyfile"), withoutOthers + site);
  return folder.start(caddy!, ["run", "--config", "Caddyfile", "--adapter", "caddyfile"]);
}

describe.each([
  { name: "nginx", isMissing: nginx === undefined, start: startNginx },
  { name: "Caddy", isMissing: caddy === undefined, start: startCaddy },
])("$name", ({ name, isMissing, start }) => {
  describe.skipIf(isMissing)("with the configuration of the docs", () => {
    let port = 0;

    /** Sends a request without a signature, with the path as it is. */
    const get = (path: string, headers: Record<string, string> = {}) =>
      new Promise<{ status: number; text: string }>((done, failed) => {
        const options = { host: "127.0.0.1", port, path, servername: "dag.example.com", rejectUnauthorized: false };
        const sent = request(
          { ...options, headers: { Host: "dag.example.com", ...headers }, agent: false },
          (answer) => {
            let text = "";
            answer.on("data", (chunk) => (text += chunk));
            answer.on("end", () => done({ status: answer.statusCode!, text }));
          },
        );
        sent.on("error", failed).end();
      });

    /** The proxies know the service by its name only; a resolver of the process gives it this machine's address. */
    const inProcess = (script: string) => {
      const resolver = `const dns = require("node:dns"); const { lookup } = dns;
        dns.lookup = (host, ...rest) => lookup(host === "dag.example.com" ? "127.0.0.1" : host, ...rest);`;
      const { accessKeyId, secretAccessKey } = service.credentials;
      return execute(process.execPath, ["-e", resolver + script], {
        cwd: root,
        timeout: 60_000,
        env: {
          PATH: process.env.PATH,
          NODE_EXTRA_CA_CERTS: tls.certificate,
          DAG_ENDPOINT: `https://dag.example.com:${port}`,
          DAG_ACCESS_KEY_ID: accessKeyId,
          DAG_SECRET_ACCESS_KEY: secretAccessKey,
        },
      });
    };

    beforeAll(async () => {
      port = await freePort();
      const proxy = await start(port);
      while ((await get("/").catch(() => undefined)) === undefined) {
        proxy.output();
        await pause(20);
      }
    });

    test("the client: submits, lists by a label of all kinds of characters, and cancels, with valid signatures", async () => {
      const { stdout } = await inProcess(`
        const { Client } = require("./dist/provider/client");
        (async () => {
          await using client = new Client({
            endpoint: process.env.DAG_ENDPOINT,
            accessKeyId: process.env.DAG_ACCESS_KEY_ID,
            secretAccessKey: process.env.DAG_SECRET_ACCESS_KEY,
          });
          const label = "a b/ü%2F;+&=//..?#🦉";
          const { queryId } = await client.submitSelect({
            clusterName: "c1", query: "select count(*) n from data.events", outputResourcePath: "dag://out/r/", label,
          });
          const { status } = await client.waitForQuery({ queryId, clusterName: "c1" });
          const found = await client.listQueries({ labelPrefix: label });
          const code = await client.cancelQuery({ queryId }).then(() => "none", (error) => error.code);
          console.log(JSON.stringify([status, found.queries[0].id === queryId, code]));
        })();`);
      expect(JSON.parse(stdout)).toEqual(["finished", true, "InvalidQueryState"]);
    });

    test("dag-service sql: runs a statement on the service behind the proxy", async () => {
      const { stdout } = await inProcess(`
        process.argv = [process.execPath, "sql", "--json", "select count(*) n from data.events"];
        require("./service/dist/service/main.js");`);
      expect(JSON.parse(stdout)).toEqual({ n: expect.any(Number) });
    });

    test("dag-service put: uploads more than proxies accept by default", async () => {
      const file = join(folder.path, "large.csv");
      writeFileSync(file, "a row of thirty-two characters,\n".repeat(100_000));
      await inProcess(`
        process.argv = [process.execPath, "put", ${JSON.stringify(file)}, "dag://data/${name}/"];
        require("./service/dist/service/main.js");`);
      const stored = join(service.bucketsDirectory, "data", name, "large.csv");
      expect(statSync(stored).size).toBe(statSync(file).size);
    });

    test("paths for the service's own machine are not reachable, however they are written", async () => {
      for (const path of [
        "/metrics",
        "/healthz",
        "/_faults",
        "/%6detrics",
        "/v1/../metrics",
        "//metrics",
        "/metrics/",
      ]) {
        const { status, text } = await get(path);
        expect(`${path} ${status >= 400 && status < 500}`).toBe(`${path} true`);
        expect(text).not.toContain("dag_");
      }
      expect((await get("/metrics", { Host: "localhost" })).text).not.toContain("dag_queries_running");
    });

    test("the console is served, and what the service refuses has the error of the API", async () => {
      expect(await get("/console/")).toMatchObject({ status: 200, text: expect.stringContaining("<!doctype html>") });
      const { status, text } = await get("/v1/?query");
      expect([status, JSON.parse(text).code]).toEqual([403, "AccessDenied"]);
    });
  });
});
