/** Runs a query on the other clusters, and compares the results. */
import { GetObjectCommand, paginateListObjectsV2, S3Client } from "@aws-sdk/client-s3";
import type { Client } from "pulumi-dag/client";
import { formatDuration } from "../setup/progress.mjs";
import type { S3Access } from "./s3.mts";

interface Options {
  readonly client: Client;
  /** A select that has ended on the cluster `spark`. */
  readonly query: { readonly query: string; readonly outputResourcePath: string };
  readonly s3: S3Access;
  readonly signal: AbortSignal;
}

/**
 * Runs the select on the clusters `hive` and `duckdb`.
 * @throws Error when a result differs from that of the cluster `spark`
 */
export async function compareClusters({ client, query, s3, signal }: Options): Promise<void> {
  console.log("\n── the same statement on the other clusters ──\n");
  const expected = await textOf(s3, query.outputResourcePath);
  console.log(`spark   ${lineCount(expected)} rows`);
  for (const clusterName of ["hive", "duckdb"]) {
    const outputResourcePath = `dag://quickstart/results/on-${clusterName}/`;
    const started = Date.now();
    const { queryId } = await client.submitSelect({ clusterName, query: query.query, outputResourcePath }, { signal });
    const { status } = await client.waitForQuery({ queryId, clusterName, signal });
    if (status !== "finished") {
      throw new Error(
        `query ${queryId} on ${clusterName} is ${status}:\n${(await client.getQueryLog({ queryId })).log}`,
      );
    }
    const took = formatDuration(Date.now() - started);
    const text = await textOf(s3, outputResourcePath);
    if (text !== expected) throw new Error(`the results on spark and ${clusterName} differ:\n${expected}\n${text}`);
    console.log(`${clusterName.padEnd(7)} ${lineCount(text)} rows, the same bytes, in ${took}`);
  }
}

/** Returns the text of the objects of a folder `dag://BUCKET/PATH/`, in the order of their names. */
async function textOf({ endpoint, region, ...credentials }: S3Access, location: string): Promise<string> {
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const { hostname: Bucket, pathname } = new URL(location);
  const texts: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: pathname.slice(1) })) {
    for (const { Key } of Contents) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      texts.push((await Body?.transformToString()) ?? "");
    }
  }
  client.destroy();
  return texts.join("");
}

function lineCount(text: string): number {
  return text.split("\n").length - 1;
}
