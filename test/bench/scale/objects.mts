/** Publication of many objects on S3: the table of a split has one object for each input. */
import { compare, type BenchResult } from "../support/results.mts";
import { finished, MemoryWatch, putAll, startSetting } from "./setting.mts";

export async function measureObjects({ objects }: { readonly objects: number }): Promise<BenchResult> {
  await using setting = await startSetting(["s3"]);
  const keys = Array.from({ length: objects }, (_, index) => `in/${String(index).padStart(6, "0")}.tsv`);
  await putAll(
    setting.client,
    "raw",
    keys.map((key, index) => [key, `${index}\tx\n`] as const),
  );
  const service = await setting.service({ clusters: [{ name: "local" }] });
  using memory = new MemoryWatch(service.pid);
  const inputObjectKeys = keys.map((key) => `dag://raw/${key}`);
  const seconds = await finished(service, "local", () =>
    service.client.submitSplit({
      clusterName: "local",
      inputObjectKeys,
      inputFormat: "tsv",
      outputDatabase: "data",
      outputTable: "many",
    }),
  );
  const title = `split of ${objects} objects on S3`;
  return {
    measurements: [
      compare(
        { title: `${title}, to the table's last object`, unit: "s", bars: [{ atMost: 60 }] },
        { service: [seconds] },
      ),
      compare({ title: `${title}, memory of the service and its engine`, unit: "MB" }, { service: [memory.most] }),
    ],
  };
}
