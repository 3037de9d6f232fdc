/** A table of many keys on S3: how its listing grows in time and memory. */
import { createRequire } from "node:module";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { s3Environment } from "../../../tools/scale/s3.mts";
import { compare, type BenchResult } from "../support/results.mts";
import { putAll, startSetting } from "./setting.mts";

/** Lists a folder and prints the number of keys, and how much memory is in use at most, in bytes, without what is garbage. */
const program = `
  const { S3Storage } = require(process.argv[1]);
  const storage = new S3Storage({ endpoint: process.argv[2], region: "us-east-1" });
  let count = 0;
  let bytes = 0;
  (async () => {
    for await (const object of storage.list({ bucket: "data", key: process.argv[3] })) {
      if (object) count += 1;
      if (count % 1000 !== 0) continue;
      gc();
      const { heapUsed, external } = process.memoryUsage();
      bytes = Math.max(bytes, heapUsed + external);
    }
    console.log(JSON.stringify({ count, bytes }));
  })();
`;

export async function measureKeys({ keys }: { readonly keys: number }): Promise<BenchResult> {
  await using setting = await startSetting(["s3"]);
  const few = keys / 10;
  for (const [folder, count] of [
    ["few", few],
    ["all", keys],
  ] as const) {
    await putAll(setting.client, "data", named(folder, count));
  }
  const storage = createRequire(import.meta.url).resolve("../../../service/dist/storage/s3.js");
  const list = async (folder: string) => {
    const begun = performance.now();
    const args = ["--expose-gc", "-e", program, storage, setting.s3.endpoint, `${folder}/`];
    const child = spawn(process.execPath, args, { env: { ...process.env, ...s3Environment(setting.s3) } });
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk));
    await once(child, "close");
    const { count, bytes } = JSON.parse(printed) as { count: number; bytes: number };
    return { count, seconds: (performance.now() - begun) / 1000, megabytes: bytes / 1e6 };
  };
  const [small, large] = [await list("few"), await list("all")];
  if (small.count !== few || large.count !== keys)
    throw new Error(`${small.count} and ${large.count} keys were listed`);
  return {
    measurements: [
      compare({ title: `list of ${keys} keys on S3`, unit: "s" }, { listing: [large.seconds] }),
      compare(
        {
          title: `memory in use while ${keys} keys on S3 are listed`,
          unit: "MB",
          bars: [{ reference: `${few} keys`, atMost: 1.1 }],
        },
        { [`${keys} keys`]: [large.megabytes], [`${few} keys`]: [small.megabytes] },
      ),
    ],
  };
}

function* named(folder: string, count: number): Generator<readonly [string, string]> {
  for (let index = 0; index < count; index += 1) yield [`${folder}/${String(index).padStart(7, "0")}`, "x"];
}
