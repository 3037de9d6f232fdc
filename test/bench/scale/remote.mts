/** What the service adds to statements on Hive and on Spark: the time to 202, and to the result beside beeline. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireProgram } from "../../../tools/scale/component.mts";
import { sparkJars } from "../../../tools/scale/spark/jars.mts";
import { run } from "../../../tools/setup/process.mjs";
import { compare, type BenchResult } from "../support/results.mts";
import { finished, putAll, startSetting } from "./setting.mts";

/** Statements that are measured on each engine, and those before, which load and compile the server's code. */
const rounds = 20;
const warmUps = 3;
const objects = 4;
const rowsOfObject = 50_000;
const query = "SELECT v, count(*) AS n, max(id) AS m FROM data.events GROUP BY v ORDER BY v";

/** How a table over a folder is made in beeline. */
const tables = {
  hive: (folder: string) =>
    `CREATE TEMPORARY EXTERNAL TABLE events (id bigint, v string) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' LOCATION '${folder}'`,
  spark: (folder: string) =>
    `CREATE TEMPORARY VIEW events (id bigint, v string) USING csv OPTIONS (path '${folder}', sep ',')`,
} as const;

type EngineName = keyof typeof tables;

export async function measureRemote(): Promise<BenchResult> {
  const measurements = [];
  for (const engine of ["hive", "spark"] as const) measurements.push(...(await measureEngine(engine)));
  return { measurements };
}

async function measureEngine(engine: EngineName) {
  await using setting = await startSetting(["s3", engine], 2);
  await putAll(
    setting.client,
    "data",
    Array.from({ length: objects }, (_, index) => [`events/${index}.csv`, rowsFrom(index * rowsOfObject)] as const),
  );
  const { url } = setting.servers[engine]!;
  // The server's code is compiled while it runs, so that whoever comes first is slow.
  await secondsInBeeline(engine, url, setting.folder);
  const service = await setting.service({
    clusters: [{ name: "remote", type: engine }],
    engines: { [engine]: { dialect: engine, urls: [url] } },
    tables: [{ database: "data", table: "events", schema: "bigint id, string v" }],
  });
  const accepted: number[] = [];
  const ended: number[] = [];
  for (let round = 0; round < warmUps + rounds; round += 1) {
    const seconds = await finished(service, "remote", async () => {
      const begun = performance.now();
      const outputResourcePath = `dag://out/${engine}${round}/`;
      const answer = await service.client.submitSelect({ clusterName: "remote", query, outputResourcePath });
      accepted.push((performance.now() - begun) / 1000);
      return answer;
    });
    ended.push(seconds);
  }
  const beeline = await secondsInBeeline(engine, url, setting.folder);
  const ours = ended.slice(warmUps).toSorted((a, b) => a - b);
  const added = ours.map((value, round) => value - beeline[round]!);
  const p95 = accepted.slice(warmUps).toSorted((a, b) => a - b)[Math.ceil(0.95 * rounds) - 1]!;
  const title = `${engine}: a statement that groups ${objects * rowsOfObject} rows on S3`;
  return [
    compare({ title: `${title}, to 202, 95th percentile`, unit: "s", bars: [{ atMost: 3 }] }, { service: [p95] }),
    compare({ title: `${title}, to its result`, unit: "s" }, { service: ours, beeline }),
    compare(
      { title: `${title}, what the service adds to beeline`, unit: "s", bars: [{ atMost: 1.5 }] },
      { service: added },
    ),
  ];
}

const rowsFrom = (first: number) =>
  Array.from({ length: rowsOfObject }, (_, index) => `${first + index},v${(first + index) % 7}\n`).join("");

/** Runs the statement in one session of beeline. @returns the seconds that beeline prints, sorted */
async function secondsInBeeline(engine: EngineName, url: string, folder: string): Promise<number[]> {
  const script = join(folder, `${engine}.sql`);
  const one = query.replace("data.events", "events");
  const statements = [tables[engine]("s3a://data/events/"), ...Array<string>(warmUps + rounds).fill(one)];
  writeFileSync(script, statements.map((statement) => `${statement};\n`).join(""));
  const java = requireProgram("java", "install Java 17");
  const connection = `${url.replace("hive2:", "jdbc:hive2:")}/;auth=noSasl`;
  const main = ["-cp", join(await sparkJars(), "*"), "org.apache.hive.beeline.BeeLine"];
  const { code, output } = await run(java, [...main, "-u", connection, "-n", "bench", "-f", script]);
  const seconds = [...output.matchAll(/\d+ rows? selected \(([\d.]+) seconds\)/g)].map(([, text]) => Number(text));
  if (code !== 0 || seconds.length !== warmUps + rounds) throw new Error(`beeline failed (${code}):\n${output}`);
  return seconds.slice(warmUps).toSorted((a, b) => a - b);
}
