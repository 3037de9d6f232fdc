/** A large split on S3, compared with downloading the input and uploading the objects. */
import { createReadStream, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { writeEvents } from "../support/events.mts";
import { compare, type BenchResult } from "../support/results.mts";
import { countingProxy, finished, MemoryWatch, startSetting } from "./setting.mts";

const objectBytes = 100_000_000;
const input = { Bucket: "raw", Key: "large.tsv" };
/** Bytes of a part of the input's upload: versitygw keeps the sizes of all parts in one attribute of a file. */
const partSize = 64 * 1024 * 1024;

export async function measureSplit({ gigabytes }: { readonly gigabytes: number }): Promise<BenchResult> {
  await using setting = await startSetting(["s3"]);
  const { client, folder } = setting;
  const file = join(folder, "large.tsv");
  writeEvents(file, gigabytes * 1e9, "none");
  const { size } = statSync(file);
  await new Upload({ client, partSize, params: { ...input, Body: createReadStream(file) } }).done();
  rmSync(file);
  const proxy = await countingProxy(setting.s3);
  const service = await setting.service({ clusters: [{ name: "local" }] }, proxy.access);
  using memory = new MemoryWatch(service.pid);
  const request = {
    clusterName: "local",
    inputObjectKeys: [`dag://${input.Bucket}/${input.Key}`],
    inputFormat: "tsv" as const,
    outputDatabase: "data",
    outputTable: "large",
  };
  const seconds = await finished(service, "local", () => service.client.submitSplit(request));
  const { Contents: made = [] } = await client.send(new ListObjectsV2Command({ Bucket: "data", Prefix: "large/" }));
  const bytes = made.reduce((sum, { Size = 0 }) => sum + Size, 0);
  if (bytes !== size) throw new Error(`the objects have ${bytes} bytes, and the input ${size}`);
  const read = proxy.received() / made.length / 1e6;
  proxy.close();
  await client.send(new CreateBucketCommand({ Bucket: "copies" }));
  const copying = await secondsOfCopying(client, size);
  const title = `split of ${gigabytes} GB of tsv on S3`;
  const reference = "download and upload";
  return {
    measurements: [
      compare(
        { title, unit: "GB/s", bars: [{ reference, atLeast: 3 }] },
        { split: [size / seconds / 1e9], [reference]: [size / copying / 1e9] },
      ),
      compare({ title: `${title}, read for each object`, unit: "MB", bars: [{ atMost: 1 }] }, { split: [read] }),
      compare(
        { title: `${title}, memory of the service and its engine`, unit: "MB", bars: [{ atMost: 400 }] },
        { split: [memory.most] },
      ),
    ],
  };
}

/** Downloads ranges and uploads each as an object, four at a time, without the disk of this machine. */
async function secondsOfCopying(client: S3Client, size: number): Promise<number> {
  const begun = performance.now();
  const starts = Iterator.from(
    Array.from({ length: Math.ceil(size / objectBytes) }, (_, index) => index * objectBytes),
  );
  const copy = async () => {
    for (const start of starts) {
      const end = Math.min(size, start + objectBytes) - 1;
      const { Body } = await client.send(new GetObjectCommand({ ...input, Range: `bytes=${start}-${end}` }));
      const Key = `part-${String(start).padStart(12, "0")}`;
      await new Upload({ client, params: { Bucket: "copies", Key, Body: Body as never } }).done();
      const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket: "copies", Key }));
      if (ContentLength !== end - start + 1) throw new Error(`${Key} has ${ContentLength} bytes`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, copy));
  return (performance.now() - begun) / 1000;
}
