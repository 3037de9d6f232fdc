import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MisbehavingServer } from "./misbehaving-server";
import { okCluster } from "./samples";

let server: MisbehavingServer;
beforeAll(async () => void (server = await MisbehavingServer.start()));
afterAll(() => server.close());

describe("a process that does not close its client", () => {
  it("ends when its work is done, though connections are open", async () => {
    server.behave(okCluster);
    const script = `
      const { Client } = require("./dist/provider/client");
      const client = new Client({ endpoint: "${server.url}", accessKeyId: "AK", secretAccessKey: "SK" });
      client.getCluster({ clusterName: "c1" }).then(({ name }) => {
        console.log(name);
        // Runs only while something else keeps the process.
        setTimeout(() => console.log("lingers"), 2_000).unref();
      });`;
    const cwd = resolve(__dirname, "../../..");
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], { cwd, timeout: 30_000 });
    expect(stdout).toBe("c1\n");
  });
});
