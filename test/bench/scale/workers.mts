/** One query on Spark with 1, 2 and 4 workers, over a table on S3. */
import { createReadStream, rmSync } from "node:fs";
import { join } from "node:path";
import { Upload } from "@aws-sdk/lib-storage";
import { writeEvents } from "../support/events.mts";
import type { BenchResult } from "../support/results.mts";
import { finished, startSetting } from "./setting.mts";

const quantities = [1, 2, 4];
const objects = 8;
const columns = "bigint id, timestamp at, string kind, string name, string page, double amount, string note";
const query =
  "SELECT kind, page, count(*) AS n, sum(amount) AS amount FROM data.events GROUP BY kind, page ORDER BY kind, page";

export async function measureWorkers({ gigabytes }: { readonly gigabytes: number }): Promise<BenchResult> {
  const values: number[] = [];
  for (const workers of quantities) {
    await using setting = await startSetting(["s3", "spark"], workers);
    const { client, folder } = setting;
    const file = join(folder, "events.csv");
    writeEvents(file, (gigabytes / 5 / objects) * 1e9, "none");
    for (let index = 0; index < objects; index += 1) {
      await new Upload({
        client,
        params: { Bucket: "data", Key: `events/${index}.csv`, Body: createReadStream(file) },
      }).done();
    }
    rmSync(file);
    const { url, ui } = setting.servers.spark!;
    const service = await setting.service({
      clusters: [{ name: "spark", type: "spark" }],
      engines: { spark: { dialect: "spark", urls: [url], ...(ui && { ui }) } },
      tables: [{ database: "data", table: "events", schema: columns }],
    });
    const run = (round: number) =>
      finished(service, "spark", () =>
        service.client.submitSelect({ clusterName: "spark", query, outputResourcePath: `dag://out/${round}/` }),
      );
    // The first one compiles Spark's code.
    await run(0);
    values.push(Math.min(await run(1), await run(2)));
  }
  const title = `A select over ${gigabytes / 5} GB on Spark`;
  const series = [{ name: "the second or third run", values }];
  return {
    measurements: [],
    growths: [{ name: "workers", title, quantity: "workers", unit: "s", quantities, series }],
  };
}
