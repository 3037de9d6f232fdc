/** Runs the command of docs/api.md as a reader pastes it. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { useService } from "../service/fixture";

const fixture = useService();

test("docs/api.md: the first command lists the clusters of the reader's service", async () => {
  const page = readFileSync(resolve(__dirname, "../../../docs/api.md"), "utf8");
  const [, block] = /```sh\n([^]*?)```/.exec(page)!;
  const { url, credentials } = fixture.service;
  const command = block!.replace(/^export .*$/m, "");
  expect(block).toContain("export DAG_ENDPOINT=http://127.0.0.1:9393 DAG_ACCESS_KEY_ID=… DAG_SECRET_ACCESS_KEY=…\n");
  const { stdout } = await promisify(execFile)("sh", ["-eu", "-c", command], {
    env: {
      ...process.env,
      NO_PROXY: "127.0.0.1",
      DAG_ENDPOINT: url,
      DAG_ACCESS_KEY_ID: credentials.accessKeyId,
      DAG_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
  });
  const { clusters } = JSON.parse(stdout) as { clusters: { name: string }[] };
  expect(clusters.map(({ name }) => name).sort()).toEqual(["c1", "c2"]);
});
