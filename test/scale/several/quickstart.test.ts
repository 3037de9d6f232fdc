/** The command of docs/scale.md, on the servers of the run and a PostgreSQL of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, inject, onTestFinished, test } from "vitest";
import { s3Environment } from "../../../tools/scale/s3.mts";
import { s3Credentials } from "../../contract/storage/s3-server";

/** Enough that the process is killed while Spark computes. */
const eventBytes = 100_000_000;

test("quickstart --scale: a query whose process is killed is taken over, and three engines have one result", async () => {
  const { endpoint, directory } = inject("s3");
  mkdirSync(join(directory, "quickstart"), { recursive: true });
  const env = {
    ...process.env,
    ...s3Environment({ endpoint, region: "us-east-1", ...s3Credentials }),
    DAG_SCALE_S3: `${endpoint}?region=us-east-1`,
    DAG_SCALE_SPARK: inject("spark"),
    DAG_SCALE_SPARK_UI: inject("sparkUi"),
    DAG_SCALE_HIVE: inject("hive"),
  };
  const args = ["scripts/quickstart.mts", "--scale", "--event-bytes", String(eventBytes)];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill());
  const [printed, failed, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect({ code, failed }, printed).toMatchObject({ code: 0 });
  expect(printed).toMatch(/kill -9 of service process 1, which runs query \d+ on Spark/);
  expect(printed).toMatch(/process 2 took the query over/);
});
